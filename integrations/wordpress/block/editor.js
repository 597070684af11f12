/* The block Live coverage in the editor. WordPress's own scripts offer `wp`. */
{
  const { apiFetch, blockEditor, blocks, components, element, serverSideRender } = window.wp;
  const { messages, limits } = window.stoppressLiveCoverage;
  const { createElement: el, useEffect, useState } = element;
  const { Disabled, Notice, PanelBody, Placeholder, RangeControl, SelectControl, Spinner, ToggleControl } =
    components;
  const NAME = 'stoppress/live-coverage';

  /** Loads the coverages of the site through WordPress. */
  const useCoverages = () => {
    const [result, setResult] = useState({});
    useEffect(() => {
      let isShown = true;
      const set = (loaded) => isShown && setResult(loaded);
      apiFetch({ path: '/stoppress/v1/coverages' }).then(
        (coverages) => set({ coverages }),
        ({ message }) => set({ error: message }),
      );
      return () => {
        isShown = false;
      };
    }, []);
    return result;
  };

  const select = (label, value, options, onChange) =>
    el(SelectControl, { label, value, options, onChange, __nextHasNoMarginBottom: true });

  /** A list of the coverages, or why there is none. The chosen one stays in it when the list cannot be loaded. */
  const chooseCoverage = ({ coverages, error }, chosen, setAttributes) => {
    if (error) return el(Notice, { status: 'error', isDismissible: false }, error);
    if (!coverages) return el('p', null, el(Spinner), ' ', messages.loading);
    if (coverages.length === 0 && !chosen) return el('p', null, messages.none);
    const options = coverages.map(({ slug, title }) => ({ value: slug, label: title || slug }));
    if (!chosen) options.unshift({ value: '', label: messages.choose });
    else if (!options.some(({ value }) => value === chosen))
      options.unshift({ value: chosen, label: chosen });
    return select(messages.coverage, chosen, options, (coverage) => setAttributes({ coverage }));
  };

  const Edit = ({ attributes, setAttributes }) => {
    const { coverage, layout, updates, heading, isMainAddress } = attributes;
    const props = blockEditor.useBlockProps();
    const choice = chooseCoverage(useCoverages(), coverage, setAttributes);
    if (!coverage) {
      const { title: label, description: instructions } = messages;
      return el('div', props, el(Placeholder, { icon: 'rss', label, instructions }, choice));
    }
    const layouts = Object.entries(messages.layouts).map(([value, label]) => ({ value, label }));
    const levels = [2, 3, 4].map((level) => ({ value: String(level), label: `H${level}` }));
    const panel = el(
      PanelBody,
      { title: messages.title },
      choice,
      select(messages.layout, layout, layouts, (value) => setAttributes({ layout: value })),
      layout === 'full' &&
        el(RangeControl, {
          label: messages.updates,
          value: updates,
          min: 1,
          max: limits.updates,
          onChange: (value) => setAttributes({ updates: value }),
          __nextHasNoMarginBottom: true,
        }),
      select(messages.heading, String(heading), levels, (value) => setAttributes({ heading: Number(value) })),
      el(ToggleControl, {
        label: messages.mainAddress,
        help: messages.mainAddressHelp,
        checked: isMainAddress,
        onChange: (value) => setAttributes({ isMainAddress: value }),
        __nextHasNoMarginBottom: true,
      }),
    );
    const preview = el(Disabled, null, el(serverSideRender, { block: NAME, attributes }));
    return el('div', props, el(blockEditor.InspectorControls, null, panel), preview);
  };

  blocks.registerBlockType(NAME, {
    title: messages.title,
    description: messages.description,
    edit: Edit,
    save: () => null,
  });
}
