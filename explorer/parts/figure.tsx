import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { samplesOf } from '../service/samples.ts'
import type { ServiceRequest } from '../service/service.ts'
import { canvasPng, pngOf, saveFile, wholeSvg } from './save.ts'
import { type Column, Table } from './table.tsx'

interface FigureProps<Row> {
  readonly title: string
  /** How it was computed, on how many, of how many. */
  readonly method: ComponentChildren
  /** The requests behind it. */
  readonly requests: readonly ServiceRequest[]
  /** The same as numbers. */
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** Begins the names of saved files. */
  readonly fileName: string
  /** Draws it as wide as there is room. Called again when the width or `drawnOf` changes. */
  readonly draw: (width: number) => SVGSVGElement | HTMLElement
  /** What the drawing is made of: another object makes another drawing. */
  readonly drawnOf: unknown
  /** All of a picture that shows a part of it; by default what is seen is saved. */
  readonly png?: (width: number) => Promise<Blob>
  readonly children?: ComponentChildren
}

type View = 'picture' | 'table' | 'request'

/** A picture with the table behind it, what was asked for it, and how it was made. */
export function Figure<Row>(props: FigureProps<Row>) {
  const { title, method, requests, columns, rows, fileName, draw, drawnOf, png, children } = props
  const [view, setView] = useState<View>('picture')
  const [isCanvas, setCanvas] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const width = useWidth(place)
  const isDark = useDark()
  useEffect(() => {
    if (view !== 'picture' || width === 0) return
    const picture = draw(width)
    nameAsOne(picture)
    setCanvas(picture.matches('canvas') || picture.querySelector('canvas') !== null)
    place.current?.replaceChildren(picture)
  }, [view, width, drawnOf, isDark])
  const svg = () => place.current?.querySelector<SVGSVGElement>('svg:not([class*=swatch])')
  const canvas = () => place.current?.querySelector('canvas')
  const saveSvg = () => {
    const picture = svg()
    if (!picture) return
    saveFile(`${fileName}.svg`, new Blob([wholeSvg(picture)], { type: 'image/svg+xml' }))
  }
  const savePng = async () => {
    const [picture, drawn] = [svg(), canvas()]
    if (png) saveFile(`${fileName}.png`, await png(width))
    else if (drawn) saveFile(`${fileName}.png`, await canvasPng(drawn))
    else if (picture) saveFile(`${fileName}.png`, await pngOf(picture))
  }
  return (
    <figure class="figure">
      <figcaption>
        <h2>{title}</h2>
        <p class="soft">{method}</p>
      </figcaption>
      {children}
      <fieldset class="views" aria-label={`Views of ${title}`}>
        {VIEWS.map(([name, text]) => (
          <button
            key={name}
            type="button"
            aria-pressed={view === name}
            onClick={() => setView(name)}
          >
            {text}
          </button>
        ))}
        {view === 'picture' && (
          <>
            {!isCanvas && (
              <button type="button" class="quiet" onClick={saveSvg}>
                SVG
              </button>
            )}
            <button type="button" class="quiet" onClick={savePng}>
              PNG
            </button>
          </>
        )}
      </fieldset>
      <div ref={place} class="picture" hidden={view !== 'picture'} />
      {view === 'table' && (
        <Table caption={title} columns={columns} rows={rows} fileName={`${fileName}.tsv`} />
      )}
      {view === 'request' && <Requests requests={requests} />}
    </figure>
  )
}

/** To a reader of the screen a picture is one thing with one name; the table has the numbers. */
function nameAsOne(drawn: Element): void {
  const svg = drawn.matches('svg') ? drawn : drawn.querySelector('svg')
  svg?.setAttribute('role', 'img')
  for (const part of svg?.querySelectorAll('[aria-label]') ?? []) part.removeAttribute('aria-label')
}

const VIEWS = [
  ['picture', 'Picture'],
  ['table', 'Table'],
  ['request', 'Request'],
] as const

/** What was asked of the service, to be asked again elsewhere. */
export function Requests({ requests }: { readonly requests: readonly ServiceRequest[] }) {
  const [tool, setTool] = useState('curl')
  const samples = requests.map((request) => samplesOf(request, location.origin))
  const tools = samples[0]?.map((sample) => sample.tool) ?? []
  const text = samples.flatMap((one) => one.filter((sample) => sample.tool === tool))
  return (
    <div class="requests">
      <fieldset class="views" aria-label="Tool">
        {tools.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={tool === name}
            onClick={() => setTool(name)}
          >
            {name}
          </button>
        ))}
      </fieldset>
      {text.map((sample) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
        <pre key={sample.text} tabIndex={0}>
          <code>{sample.text}</code>
        </pre>
      ))}
    </div>
  )
}

/** Whether the page is in dark colours; a canvas has its own and is drawn again. */
function useDark(): boolean {
  const [isDark, setDark] = useState(false)
  useEffect(() => {
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    const follow = () => setDark(scheme.matches)
    follow()
    scheme.addEventListener('change', follow)
    return () => scheme.removeEventListener('change', follow)
  }, [])
  return isDark
}

/** The width of an element in CSS pixels, followed as it changes; 0 before it is known. */
function useWidth(place: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = place.current?.parentElement
    if (!element) return
    const watch = new ResizeObserver(([entry]) => {
      setWidth(Math.floor(entry?.contentRect.width ?? 0))
    })
    watch.observe(element)
    return () => watch.disconnect()
  }, [place])
  return width
}
