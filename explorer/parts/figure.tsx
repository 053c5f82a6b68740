import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatAddress, onPage, parseAddress } from '../address/address.ts'
import { usePlace } from '../address/context.ts'
import { samplesOf } from '../service/samples.ts'
import type { ServiceRequest } from '../service/service.ts'
import { openMarks } from './marks.ts'
import { canvasPng, pngOf, saveFile, wholeSvg } from './save.ts'
import { type Column, Table } from './table.tsx'

interface FigureProps<Row> {
  readonly title: string
  /** Description of the method and of the numbers of cases. */
  readonly method: ComponentChildren
  /** Requests that returned the data. */
  readonly requests: readonly ServiceRequest[]
  /** The data as a table. */
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** Prefix of the names of saved files. */
  readonly fileName: string
  /** Draws the figure for a width. Called again when the width or `drawnOf` changes. */
  readonly draw: (width: number) => SVGSVGElement | HTMLElement
  /** The data that are drawn. The figure is drawn again when this becomes another object. */
  readonly drawnOf: unknown
  /** Returns the whole figure as PNG if only a part is visible. By default the visible part is saved. */
  readonly png?: (width: number) => Promise<Blob>
  readonly children?: ComponentChildren
}

type View = 'picture' | 'table' | 'request'

/** Shows a figure with its table, its requests and its method. */
export function Figure<Row>(props: FigureProps<Row>) {
  const { title, method, requests, columns, rows, fileName, draw, drawnOf, png, children } = props
  const [view, setView] = useState<View>('picture')
  const [isCanvas, setCanvas] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const { address, go } = usePlace()
  // Marks lead to other pages with the same cohorts.
  const around = formatAddress(onPage(address, ''))
  const follow = (fragment: string) => go(() => parseAddress(fragment))
  const width = useWidth(place)
  const isDark = useDark()
  useEffect(() => {
    if (view !== 'picture' || width === 0) return
    const picture = draw(width)
    nameAsOne(picture)
    setCanvas(picture.matches('canvas') || picture.querySelector('canvas') !== null)
    place.current?.replaceChildren(picture)
    return place.current ? openMarks(place.current, picture, { title, follow }) : undefined
  }, [view, width, drawnOf, isDark, around])
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

/** Gives a figure a single name for screen readers, because the table has the values. */
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

interface RequestsProps {
  readonly requests: readonly ServiceRequest[]
}

/** Shows requests below a title. They are visible when the user unfolds it. */
export function FoldedRequests({
  title = 'Request',
  requests,
}: RequestsProps & { readonly title?: string }) {
  return (
    <details>
      <summary>{title}</summary>
      <Requests requests={requests} />
    </details>
  )
}

/** Shows requests as code, so that users can repeat them in other programs. */
function Requests({ requests }: RequestsProps) {
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

/** Returns whether the page is in dark mode. A canvas has to be drawn again when this changes. */
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

/** Returns the width of an element in CSS pixels and follows its changes. 0 until it is known. */
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
