// Filter by verdict and sort; without this script the page shows everything in the paper's order.
(() => {
  const controls = document.querySelector(".controls");
  const buttons = [...controls.querySelectorAll("button")];
  const order = controls.querySelector("select");
  const said = controls.querySelector("[role=status]");
  const lists = [...document.querySelectorAll("[data-list]")];
  const ranks = ["false", "corrected", "holds", "failed"];
  const keys = {
    number: (item) => Number(item.dataset.place),
    verdict: (item) => ranks.indexOf(item.dataset.verdict),
    time: (item) => -Number(item.dataset.seconds),
  };

  const filter = (wanted) => {
    for (const button of buttons) {
      button.setAttribute("aria-pressed", String(button.value === wanted));
    }
    for (const list of lists) {
      for (const item of list.children) {
        item.hidden = wanted !== "all" && item.dataset.verdict !== wanted;
      }
    }
    const items = [...lists[0].children];
    said.textContent = `${items.filter((item) => !item.hidden).length} of ${items.length} claims`;
  };
  const sort = () => {
    const key = keys[order.value];
    for (const list of lists) {
      const items = [...list.children];
      items.sort((a, b) => key(a) - key(b) || keys.number(a) - keys.number(b));
      list.append(...items);
    }
  };
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target?.hidden) {
      filter("all");
      target.scrollIntoView();
    }
  };

  for (const button of buttons) button.addEventListener("click", () => filter(button.value));
  order.addEventListener("change", sort);
  addEventListener("hashchange", reveal);
  controls.hidden = false;
})();
