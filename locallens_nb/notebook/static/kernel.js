// What the page knows of a conversation, and how it speaks with the kernel.

const UNHEARD_MILLISECONDS = 400;

/**
 * Open a line of our own to the kernel. What is said on it is heard while a cell runs, since it goes to a subshell
 * (ipykernel 7 with JupyterLab 4.4 or Notebook 7.4); the kernel sends a widget's own messages to the shell of its cell.
 */
async function openLine(model) {
  const kernel = model.widget_manager?.kernel;
  await kernel?.info;
  if (!kernel?.supportsSubshells || (kernel.commsOverSubshells ?? "disabled") === "disabled") return null;
  const line = kernel.createComm("locallens.line");
  await line.subshellStarted;
  line.open({ line: model.get("line") });
  return line;
}

/** What one model knows of its conversation, apart from the views that show it. */
class Conversation {
  constructor(model) {
    this.model = model;
    this.turns = new Map();
    this.status = "";
    this.busy = false;
    this.leftOut = 0;
    this.views = new Set();
    this.unheard = new Map();
    this.line = null;
    model.on("msg:custom", (message) => this.receive(message));
    model.send({ kind: "hello" });
  }

  async close() {
    const line = await this.line;
    if (line && !line.isDisposed) line.close();
  }

  /**
   * Say something to the kernel. When it does not hear it soon, a cell runs: then it is said again on a line of our own,
   * and `late` is called when that is not heard either, or cannot be. The kernel takes what it hears twice once.
   */
  say(message, { late, heard } = {}) {
    const sent = { ...message, id: `${Date.now()}-${Math.random()}` };
    const insist = async () => {
      const line = await (this.line ??= openLine(this.model).catch(() => null));
      if (!this.unheard.has(sent.id)) return;
      if (!line || line.isDisposed) late?.();
      else {
        line.send(sent);
        timer = setTimeout(() => late?.(), UNHEARD_MILLISECONDS);
      }
    };
    let timer = setTimeout(insist, UNHEARD_MILLISECONDS);
    this.unheard.set(sent.id, () => {
      clearTimeout(timer);
      heard?.();
    });
    this.model.send(sent);
  }

  receive(message) {
    if (message.kind === "several") message.messages.forEach((one) => this.receive(one));
    else if (message.kind === "heard") {
      const heard = this.unheard.get(message.id);
      this.unheard.delete(message.id);
      heard?.();
    } else if (message.kind === "transcript") {
      keepTranscript(this.model, message);
    } else {
      this.keep(message);
      this.views.forEach((view) => view.show(message));
    }
  }

  keep(message) {
    const turn = this.turns.get(message.turn);
    if (message.kind === "all") {
      this.turns = new Map(message.turns.map((one) => [one.turn, one]));
      this.status = message.status;
      this.busy = message.busy;
      this.leftOut = message.left_out;
    } else if (message.kind === "question") {
      this.turns.set(message.turn, { turn: message.turn, question: message.text, finished: "", last: "" });
    } else if (message.kind === "status") this.status = message.text;
    else if (message.kind === "busy") this.busy = message.busy;
    else if (message.kind === "clear") {
      this.turns.clear();
      this.leftOut = 0;
    } else if (!turn) return;
    else if (message.kind === "evidence") turn.evidence = message.html;
    else if (message.kind === "error") turn.error = message.text;
    else if (message.kind === "text") {
      turn.last = (message.finished ? "" : turn.last.slice(0, message.kept)) + message.last;
      turn.finished += message.finished ?? "";
    } else if (message.kind === "answer") {
      const { html: answer, sources, note, copy } = message;
      Object.assign(turn, { answer, sources, note, copy, answered: true });
    }
  }
}
