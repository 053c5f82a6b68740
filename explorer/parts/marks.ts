import { isForBrowser } from './link.tsx'
import { addTip } from './tip.ts'

/** A mark of a picture, with the text that describes it. */
interface Mark {
  readonly element: Element
  readonly text: string
}

const NEXT: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
}

/** Maximum number of links that are stops of the tab key. Arrow keys lead through more, and Enter follows one. */
const MAX_STOPS = 40
const XLINK = 'http://www.w3.org/1999/xlink'

interface Picture {
  readonly title: string
  /** Goes to the address of a mark. */
  readonly follow: (fragment: string) => void
}

/**
 * Makes the marks of a picture tell what they are by keys and by touch, not only by mouse. A few links can be focused
 * each; through all other marks, the arrow keys lead once the picture has the focus. A touch tells what a mark is,
 * and a second one follows its link. Returns a function that ends this.
 * @param place element around the picture
 * @param picture one with links has no single name for screen readers, as its links have names
 */
export function openMarks(
  place: HTMLElement,
  picture: Element,
  { title, follow }: Picture,
): () => void {
  const marks = marksIn(picture)
  const links = [...picture.querySelectorAll('a')]
  const svg = picture.matches('svg') ? picture : picture.querySelector('svg')
  if (links.length > 0) svg?.setAttribute('role', 'group')
  place.setAttribute('role', 'group')
  place.setAttribute('aria-label', `Picture of ${title}`)
  const isRead = marks.length > 0 && (links.length === 0 || links.length > MAX_STOPS)
  for (const link of links) nameLink(link, !isRead)
  if (isRead) place.tabIndex = 0
  else place.removeAttribute('tabindex')
  const tip = addTip(place)
  let at = -1
  let shown: Element | undefined
  let isTouch = false
  const hide = () => {
    shown = undefined
    tip.hide()
  }
  const show = ({ element, text }: Mark) => {
    shown = element
    tip.show(text, element.getBoundingClientRect())
  }
  const markOf = (target: EventTarget | null) =>
    marks.find(({ element }) => target instanceof Node && element.contains(target))
  const onKeyDown = (event: KeyboardEvent) => {
    const step = NEXT[event.key]
    if (event.key === 'Escape') hide()
    const address = addressOf(marks[at]?.element)
    if (isRead && event.key === 'Enter' && address) follow(address)
    if (!isRead || step === undefined || marks.length === 0) return
    at = at < 0 ? (step > 0 ? 0 : marks.length - 1) : (at + step + marks.length) % marks.length
    const mark = marks[at]
    if (mark) show(mark)
    event.preventDefault()
  }
  const onFocus = ({ target }: FocusEvent) => {
    if (isTouch || !(target instanceof Element) || target === place) return
    const mark = marks.find(({ element }) => element.contains(target) || target.contains(element))
    if (mark) show(mark)
  }
  const onPointer = ({ pointerType, target }: PointerEvent) => {
    isTouch = pointerType === 'touch'
    if (isTouch && !markOf(target)) hide()
  }
  const onClick = (event: MouseEvent) => {
    const mark = markOf(event.target)
    const isTold = !isTouch || !mark || shown === mark.element
    const address = addressOf(event.target)
    if (isTold && (!address || isForBrowser(event))) return
    event.preventDefault()
    if (!isTold) show(mark)
    else if (address) follow(address)
  }
  const listeners = [
    ['keydown', onKeyDown],
    ['focusin', onFocus],
    ['focusout', hide],
    ['pointerdown', onPointer],
    ['click', onClick],
  ] as const
  for (const [name, listener] of listeners) place.addEventListener(name, listener as EventListener)
  return () => {
    tip.remove()
    for (const [name, listener] of listeners) {
      place.removeEventListener(name, listener as EventListener)
    }
  }
}

/** Returns the address that a mark leads to. */
function addressOf(mark: EventTarget | null | undefined): string | null | undefined {
  const link = mark instanceof Element ? mark.closest('a') : undefined
  return link?.getAttribute('href') ?? link?.getAttributeNS(XLINK, 'href')
}

/** Returns the marks with a text. Observable Plot writes it into a `title` of each mark. */
function marksIn(picture: Element): readonly Mark[] {
  return [...picture.querySelectorAll('title')].flatMap((title) => {
    const element = title.parentElement
    const text = title.textContent?.trim()
    return element && text ? [{ element, text }] : []
  })
}

/**
 * Gives a link its name, and makes it a stop of the tab key or none. Observable Plot uses the address of XLink, which
 * style sheets do not know. A link that is no stop has it in any case, since the arrow keys lead to it.
 */
function nameLink(link: Element, isStop: boolean): void {
  link.removeAttribute('target')
  const text = link.querySelector('title')?.textContent
  if (text) link.setAttribute('aria-label', text)
  const address = link.getAttributeNS(XLINK, 'href') ?? link.getAttribute('href')
  if (!isStop) link.setAttribute('tabindex', '-1')
  if (address === null) return
  link.removeAttributeNS(XLINK, 'href')
  link.removeAttribute('href')
  if (isStop) link.setAttribute('href', address)
  else link.setAttributeNS(XLINK, 'href', address)
}
