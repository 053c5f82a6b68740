/** A text beside a mark, which is also read aloud. */
interface Tip {
  /** Shows a text above a rectangle of the window, or below it if there is no space. */
  readonly show: (text: string, mark: DOMRect) => void
  readonly hide: () => void
  readonly remove: () => void
}

/** Adds a hidden tip to an element, which must be positioned. */
export function addTip(place: HTMLElement): Tip {
  const tip = document.createElement('div')
  tip.className = 'tip'
  tip.setAttribute('aria-live', 'polite')
  tip.hidden = true
  place.append(tip)
  const show = (text: string, mark: DOMRect) => {
    tip.textContent = text
    tip.hidden = false
    const around = place.getBoundingClientRect()
    const left = mark.left - around.left + mark.width / 2 - tip.offsetWidth / 2
    const rest = around.width - tip.offsetWidth
    const above = mark.top - around.top - tip.offsetHeight - 6
    tip.style.left = `${Math.max(0, Math.min(left, rest)) + place.scrollLeft}px`
    tip.style.top = `${above < 0 ? mark.bottom - around.top + 6 : above}px`
  }
  const hide = () => {
    tip.hidden = true
  }
  return { show, hide, remove: () => tip.remove() }
}
