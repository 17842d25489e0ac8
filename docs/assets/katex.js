document$.subscribe(({ body }) => {
  for (const element of body.querySelectorAll(".arithmatex")) {
    const text = element.textContent;
    katex.render(text.slice(2, -2), element, { displayMode: text.startsWith("\\["), throwOnError: false });
  }
});
