// What the conversation needs of the page and of the notebook around it.

/** Make an element: properties, attributes (with a dash or `role`), and children. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children);
  return element;
}

function flash(button, text) {
  const before = button.dataset.text ?? button.textContent;
  button.dataset.text = before;
  button.textContent = text;
  setTimeout(() => (button.textContent = before), 1600);
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make("textarea", { value: text, className: "ll-sr" });
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** Show a text selected, for a page that may not write to the clipboard. */
function offerText(place, text) {
  const area = make("textarea", { value: text, readOnly: true, rows: 4, className: "ll-offer", "aria-label": "The answer, to copy" });
  place.querySelector(".ll-offer")?.remove();
  place.append(area);
  area.focus();
  area.select();
}

/**
 * Return the cells of the notebook, where the front end lets a widget reach them (JupyterLab and Notebook do). VS Code gives
 * widgets a notebook without cells that nobody sees; the one that shows this has a cell at least.
 */
function findCells(model) {
  const cells = model.widget_manager?.context?.model?.sharedModel;
  return typeof cells?.insertCell === "function" && cells.cells.length ? cells : null;
}

function insertCell(model, element, text) {
  const cells = findCells(model);
  if (!cells) return false;
  const place = element.closest("[data-windowed-list-index]")?.dataset.windowedListIndex;
  const below = place === undefined ? cells.cells.length : Number(place) + 1;
  cells.insertCell(Math.min(below, cells.cells.length), { cell_type: "markdown", source: text, metadata: {} });
  return true;
}

/**
 * Bring the text of the conversation in the notebook up to date. The kernel does that with an update of its output; a page
 * that was loaded again no longer knows which output is meant, and finds it by the panel that the text names.
 */
function keepTranscript(model, { panel, data }) {
  for (const { outputs } of model.widget_manager?.context?.model?.cells ?? []) {
    for (let place = 0; place < (outputs?.length ?? 0); place += 1) {
      const output = outputs.get(place).toJSON();
      const html = [output.data?.["text/html"] ?? ""].flat().join("");
      if (html.includes(`data-panel="${panel}"`) && html !== data["text/html"]) outputs.set(place, { ...output, data });
    }
  }
}
