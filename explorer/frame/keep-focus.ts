/** Elements that take the focus when the focused element in them is removed. */
const PLACES = 'section, figure, fieldset, form, header, nav, main'

/**
 * Moves the focus to the nearest remaining place around the focused element if that is removed. Otherwise the
 * browser would move it to the start of the document. Returns a function that stops this.
 */
export function keepFocus(root: HTMLElement): () => void {
  let places: readonly HTMLElement[] = []
  let focused: Element | undefined
  const remember = ({ target }: FocusEvent) => {
    if (!(target instanceof Element)) return
    focused = target
    places = placesAround(target)
  }
  const forget = ({ relatedTarget, target }: FocusEvent) => {
    if (relatedTarget !== null) return
    // Of an element that is being removed, the event comes before the removal.
    queueMicrotask(() => {
      if (focused === target && focused?.isConnected) focused = undefined
    })
  }
  const mend = () => {
    if (focused === undefined || focused.isConnected) return
    focused = undefined
    if (document.activeElement !== document.body && document.activeElement !== null) return
    const place = places.find((one) => one.isConnected)
    if (!place) return
    if (place.tabIndex < 0) place.tabIndex = -1
    place.focus({ preventScroll: true })
  }
  const watch = new MutationObserver(mend)
  watch.observe(root, { childList: true, subtree: true })
  root.addEventListener('focusin', remember)
  root.addEventListener('focusout', forget)
  return () => {
    watch.disconnect()
    root.removeEventListener('focusin', remember)
    root.removeEventListener('focusout', forget)
  }
}

function placesAround(element: Element): readonly HTMLElement[] {
  const place = element.parentElement?.closest<HTMLElement>(PLACES)
  return place ? [place, ...placesAround(place)] : []
}
