// The conversation and the question box of the LocalLens panel.
// It follows page.js and kernel.js in one module. HTML comes sanitised from Python (locallens_nb/notebook/markdown.py); everything else is set as text.

const NEAR_END_PIXELS = 24;
const ANNOUNCED_CHARACTERS = 2000;

/** One turn on the page. */
class TurnView {
  constructor(view, turn, position) {
    this.view = view;
    this.number = turn.turn;
    this.finished = make("div", { className: "ll-finished" });
    this.last = make("div", { className: "ll-last" });
    this.answer = make("div", { className: "ll-answer" }, this.finished, this.last);
    this.error = make("p", { className: "ll-error", role: "alert", hidden: true });
    this.note = make("span", { className: "ll-note" });
    this.foot = make("div", { className: "ll-foot", hidden: true }, this.note, ...this.makeActions());
    this.sources = make("div", { className: "ll-sources" });
    this.found = make("summary");
    this.quotes = make("div", { className: "ll-quotes" });
    this.evidence = make("details", { className: "ll-evidence", hidden: true, open: true }, this.found, this.quotes);
    const question = make("h3", { className: "ll-question", textContent: turn.question });
    const parts = [question, this.answer, this.error, this.foot, this.sources, this.evidence];
    this.element = make("article", { className: "ll-turn", "aria-label": `Question ${position}` }, ...parts);
    this.element.addEventListener("click", (event) => this.followReference(event));
    this.element.addEventListener("keydown", (event) => event.key === "Escape" && this.goBack(event));
    this.showEvidence(turn.evidence ?? "");
    this.finished.innerHTML = turn.finished;
    this.last.innerHTML = turn.last;
    if (turn.finished || turn.last) this.foldEvidence();
    if (turn.answered) this.showAnswer(turn);
    if (turn.error) this.showError(turn.error);
  }

  makeActions() {
    this.copy = make("button", { type: "button", className: "ll-quiet", textContent: "Copy", title: "Copy the answer with its sources as footnotes" });
    this.copy.addEventListener("click", () => this.copyAnswer());
    this.insert = make("button", { type: "button", className: "ll-quiet", textContent: "Insert as cell", title: "Put the answer into a new cell below this one" });
    this.insert.addEventListener("click", () => this.insertAnswer());
    return [this.copy, this.insert];
  }

  showText(message) {
    if (message.finished) {
      this.finished.insertAdjacentHTML("beforeend", message.finished);
    }
    if (!this.answer.textContent) this.foldEvidence();
    this.last.innerHTML = this.view.conversation.turns.get(this.number).last;
  }

  showAnswer({ answer, sources, note, copy }) {
    this.finished.innerHTML = answer;
    this.last.replaceChildren();
    this.copyText = copy;
    this.note.textContent = note;
    this.copy.hidden = !copy;
    this.insert.hidden = !copy || !findCells(this.view.model);
    this.foot.hidden = !note && !copy;
    const opened = new Map([...this.sources.querySelectorAll("details")].map((one) => [one.className + one.dataset.number, one.open]));
    this.sources.innerHTML = sources;
    for (const one of this.sources.querySelectorAll("details")) {
      one.open = opened.get(one.className + one.dataset.number) ?? one.open;
      showMark(one);
    }
    if (answer) this.foldEvidence();
  }

  showEvidence(html) {
    this.quotes.innerHTML = html;
    this.evidence.hidden = !html;
    const count = this.quotes.childElementCount;
    this.found.textContent = `Found in your files: ${count} ${count === 1 ? "passage" : "passages"}`;
    for (const one of this.quotes.children) one.addEventListener("toggle", () => showMark(one));
  }

  /** Make room for the answer, unless the person is reading what was found. */
  foldEvidence() {
    if (!this.evidence.matches(":focus-within")) this.evidence.open = false;
  }

  showError(text) {
    this.error.textContent = text;
    this.error.hidden = false;
  }

  followReference(event) {
    const reference = event.target.closest(".ll-citation");
    if (!reference) return;
    const number = CSS.escape(reference.dataset.number);
    const card = this.sources.querySelector(`[data-number="${number}"]`) ?? this.quotes.querySelector(`[data-number="${number}"]`);
    if (!card) return;
    for (let one = card; one && one !== this.element; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
    this.cameFrom = reference;
    this.element.querySelectorAll(".ll-back").forEach((one) => one.remove());
    const back = make("button", { type: "button", className: "ll-quiet ll-back", textContent: "Back to the answer" });
    back.addEventListener("click", (click) => this.goBack(click));
    card.append(back);
    card.querySelector("summary").focus({ preventScroll: true });
    this.view.scrollTo(card);
    showMark(card);
  }

  goBack(event) {
    if (!this.cameFrom?.isConnected || !event.target.closest(".ll-source, .ll-quote")) return;
    event.stopPropagation();
    this.element.querySelectorAll(".ll-back").forEach((one) => one.remove());
    this.cameFrom.focus({ preventScroll: true });
    this.view.scrollTo(this.cameFrom);
    this.cameFrom = null;
  }

  async copyAnswer() {
    const done = await copyText(this.copyText);
    if (done) flash(this.copy, "Copied");
    else offerText(this.foot, this.copyText);
    if (done) this.view.conversation.say({ kind: "action", action: "copy", turn: this.number });
  }

  insertAnswer() {
    if (insertCell(this.view.model, this.view.element, this.copyText)) flash(this.insert, "Inserted");
  }
}

/** One view of a conversation. */
class ConversationView {
  constructor(model, conversation, element) {
    this.model = model;
    this.conversation = conversation;
    this.element = element;
    this.turns = new Map();
    this.follows = true;
    this.build();
    this.showAll();
  }

  build() {
    this.element.addEventListener("keydown", keepKey);
    // To the MathJax of the classic Notebook "$5, later $10" is a formula.
    this.element.classList.add("ll-conversation", "tex2jax_ignore");
    this.empty = make("p", { className: "ll-empty", textContent: "Ask a question about your files. The answer names the excerpts that it comes from." });
    this.log = make("div", { className: "ll-log", tabIndex: 0, role: "region", "aria-label": "Conversation" }, this.empty);
    this.log.addEventListener("scroll", () => this.noteScroll());
    this.latest = make("button", { type: "button", className: "ll-latest", textContent: "New text below", hidden: true });
    this.latest.addEventListener("click", () => this.scrollToEnd());
    this.box = make("textarea", { className: "ll-box", rows: 1, placeholder: "Ask a question about your files", "aria-label": "Question" });
    this.box.addEventListener("input", () => this.fitBox());
    this.box.addEventListener("keydown", (event) => this.pressKey(event));
    this.status = make("span", { className: "ll-status" });
    this.button = make("button", { type: "button", className: "ll-send" });
    this.button.addEventListener("click", () => (this.conversation.busy ? this.stop() : this.send()));
    this.spoken = make("div", { className: "ll-sr", role: "status", "aria-live": "polite" });
    const foot = make("div", { className: "ll-under" }, this.status, this.button);
    const ask = make("div", { className: "ll-ask" }, this.box, foot);
    this.element.replaceChildren(make("div", { className: "ll-scroll" }, this.log, this.latest), ask, this.spoken);
  }

  show(message) {
    const view = this.turns.get(message.turn);
    if (message.kind === "all") this.showAll();
    else if (message.kind === "clear") this.showAll();
    else if (message.kind === "status") this.showStatus();
    else if (message.kind === "busy") this.showBusy();
    else if (message.kind === "question") {
      this.addTurn(this.conversation.turns.get(message.turn));
      if (this.box.value.trim() === message.text) this.box.value = "";
      this.fitBox();
      this.scrollToEnd();
    } else if (view) this.showInTurn(view, message);
  }

  showInTurn(view, message) {
    if (message.kind === "evidence") view.showEvidence(message.html);
    else if (message.kind === "text") view.showText(message);
    else if (message.kind === "error") view.showError(message.text);
    else if (message.kind === "answer") {
      const isFirst = !view.isAnswered;
      view.isAnswered = true;
      view.showAnswer({ ...message, answer: message.html });
      if (isFirst) this.announce(view.answer.textContent);
      return;
    }
    this.keepUp(view, message);
  }

  showAll() {
    this.turns.clear();
    this.log.replaceChildren(this.empty);
    if (this.conversation.leftOut) {
      const text = `${this.conversation.leftOut} earlier questions are not shown after the page was loaded again; the saved conversation has them.`;
      this.log.append(make("p", { className: "ll-empty", textContent: text }));
    }
    for (const turn of this.conversation.turns.values()) this.addTurn(turn);
    this.showStatus();
    this.showBusy();
    this.scrollToEnd();
  }

  addTurn(turn) {
    const view = new TurnView(this, turn, this.turns.size + 1);
    view.isAnswered = Boolean(turn.answered);
    this.turns.set(turn.turn, view);
    this.log.append(view.element);
    this.showBusy();
  }

  showStatus() {
    const { status, busy } = this.conversation;
    this.status.textContent = this.waits ?? (status || (busy ? "" : "Enter sends, Shift+Enter breaks the line"));
    const said = status.replace(/\d+/g, "");
    if (status && said !== this.said) this.announce(status);
    this.said = said;
  }

  showBusy() {
    const { busy, turns } = this.conversation;
    this.waits = null;
    this.element.classList.toggle("ll-busy", busy);
    this.empty.hidden = turns.size > 0;
    this.button.textContent = busy ? "Stop" : "Send";
    this.button.title = busy ? "Stop the answer" : "Send the question";
    this.showStatus();
  }

  announce(text) {
    this.spoken.textContent = text.slice(0, ANNOUNCED_CHARACTERS);
  }

  pressKey(event) {
    // A key of an input method (229) chooses a character; it does not send.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    this.send();
  }

  send() {
    const text = this.box.value.trim();
    if (!text || text === this.sending) return;
    this.sending = text;
    const heard = () => {
      this.sending = null;
      this.wait(null);
    };
    this.conversation.say({ kind: "send", text }, { late: () => this.wait("Will be asked when the running cell ends."), heard });
  }

  stop() {
    this.button.textContent = "Stopping …";
    const late = () => this.wait("Will stop when the running cell ends.");
    this.conversation.say({ kind: "stop" }, { late, heard: () => this.wait(null) });
  }

  /** Say what the kernel cannot say, because it is busy with a cell. */
  wait(text) {
    this.waits = text;
    if (text) this.announce(text);
    this.showStatus();
  }

  fitBox() {
    this.box.style.height = "auto";
    this.box.style.height = `${this.box.scrollHeight + 2}px`;
  }

  noteScroll() {
    const distance = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight;
    if (Math.abs(this.log.scrollTop - (this.scrolledTo ?? 0)) > 2) this.follows = distance < NEAR_END_PIXELS;
    if (distance < NEAR_END_PIXELS) this.latest.hidden = true;
  }

  /** Show what has come at the end, if the reader is there; what was found is shown from its question on. */
  keepUp(view, message) {
    if (!this.follows) {
      this.latest.hidden = message.kind !== "text" && this.latest.hidden;
      return;
    }
    const top = view.element.offsetTop - this.log.offsetTop;
    this.setScroll(message.kind === "evidence" ? Math.min(top, this.log.scrollHeight) : this.log.scrollHeight);
  }

  scrollToEnd() {
    this.follows = true;
    this.latest.hidden = true;
    this.setScroll(this.log.scrollHeight);
  }

  scrollTo(element) {
    const box = this.log.getBoundingClientRect();
    const place = element.getBoundingClientRect();
    const isSeen = place.top >= box.top && place.bottom <= box.bottom;
    if (!isSeen) this.log.scrollTop += place.top - box.top - Math.max(12, (box.height - place.height) / 2);
    this.follows = false;
  }

  setScroll(top) {
    this.log.scrollTop = top;
    this.scrolledTo = this.log.scrollTop;
  }
}

/** Keep a key from JupyterLab, where "d d" deletes the cell and Shift+Enter runs it again; saving goes through. */
function keepKey(event) {
  const saves = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s";
  if (!saves) event.stopPropagation();
}

/** Scroll an excerpt to what is marked in it. */
function showMark(card) {
  const mark = card.querySelector("mark");
  const excerpt = mark?.closest("pre");
  if (excerpt) excerpt.scrollTop += mark.getBoundingClientRect().top - excerpt.getBoundingClientRect().top - 24;
}

export default () => {
  let conversation;
  return {
    initialize({ model }) {
      conversation = new Conversation(model);
      return () => conversation.close();
    },
    render({ model, el }) {
      const view = new ConversationView(model, conversation, el);
      conversation.views.add(view);
      return () => conversation.views.delete(view);
    },
  };
};
