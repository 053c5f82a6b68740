import type { Browser, IgvFrame } from 'igv/dist/igv.esm.min.js'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ErrorNote, LoadingNote } from '../../parts/notes.tsx'
import type { Reference } from './bam.ts'
import type { DrawnGene } from './genes-there.ts'
import { escaped, popUpOf } from './pop-up.ts'
import { type Region, regionText } from './region.ts'
import { ruler } from './ruler.ts'

interface IgvViewProps {
  /** References in the file's header. */
  readonly references: readonly Reference[]
  /** The slice to show. A new slice creates a new view. */
  readonly slice: Blob
  readonly name: string
  readonly region: Region
  /** Genes of the region. A new list creates a new view. */
  readonly genes: readonly DrawnGene[]
}

/** Heights in CSS pixels. */
const TRACK_HEIGHT = 380
const GENES_HEIGHT = 60
/** Length in bases that covers any slice, so that igv.js always shows reads. */
const EVERYTHING = 1e9
/** Height of a read in CSS pixels. */
const ROW_HEIGHT = 9

/** Shows genes, coverage and reads of a slice with igv.js, from loaded bytes, without requests. */
export function IgvView({ references, slice, name, region, genes }: IgvViewProps) {
  const place = useRef<HTMLDivElement>(null)
  const [error, setError] = useState<string>()
  const [isReady, setReady] = useState(false)
  const locus = regionText(region)
  useEffect(() => {
    const parent = place.current
    if (!parent) return
    let isLeaving = false
    let shown: Browser | undefined
    const [above, element] = [document.createElement('div'), document.createElement('div')]
    above.className = 'ruler'
    parent.replaceChildren(above, element)
    let part: IgvFrame | undefined
    const drawRuler = () => part && above.replaceChildren(...rulerOf(part, parent, element))
    const resized = new ResizeObserver(drawRuler)
    setReady(false)
    setError(undefined)
    const show = async () => {
      const igv = await loadIgv()
      const browser = await igv.createBrowser(element, optionsOf(references, locus))
      if (isLeaving) return igv.removeBrowser(browser)
      shown = browser
      // igv.js has no dark mode. It resets styles and draws black on white.
      const paper = element.shadowRoot?.querySelector<HTMLElement>('.igv-container')
      if (paper) paper.style.colorScheme = 'light'
      browser.genome.getSequence = async () => NO_BASES
      browser.on('trackclick', (_track, lines = []) => lines.length > 0 && popUpOf(lines))
      browser.on('locuschange', ([frame]) => {
        part = frame
        drawRuler()
      })
      await browser.loadTrack({
        type: 'annotation',
        name: 'Genes',
        features: genes,
        height: GENES_HEIGHT,
        displayMode: 'EXPANDED',
        visibilityWindow: EVERYTHING,
        color: GENE_COLOR,
        removable: false,
      })
      await browser.loadTrack({
        type: 'alignment',
        format: 'bam',
        // igv.js inserts the name as HTML.
        name: escaped(name),
        url: new File([slice], 'slice.bam'),
        indexed: false,
        height: TRACK_HEIGHT,
        autoHeight: false,
        visibilityWindow: EVERYTHING,
        squishedRowHeight: ROW_HEIGHT,
        displayMode: 'SQUISHED',
        removable: false,
      })
      if (isLeaving) return
      part ??= { start: region.start - 1, end: region.end }
      resized.observe(parent)
      setReady(true)
    }
    show().catch((cause: unknown) => {
      if (!isLeaving) setError(`The reads cannot be drawn: ${String(cause)}`)
    })
    return () => {
      isLeaving = true
      resized.disconnect()
      if (shown) loadIgv().then((igv) => shown && igv.removeBrowser(shown))
    }
  }, [references, slice, name, locus, genes])
  return (
    <>
      {error !== undefined && <ErrorNote text={error} />}
      {!isReady && error === undefined && <LoadingNote />}
      <div ref={place} class="reads" />
    </>
  )
}

/**
 * Stands for the bases of the reference, which are not known. igv.js would print an error for each view without any, and
 * takes an empty text in capitals as none.
 */
const NO_BASES = { toUpperCase: () => '', charAt: () => '' }

/** Colour of genes. igv.js accepts no CSS variables. */
const GENE_COLOR = 'rgb(11, 92, 173)'

/** Returns the ruler of a part of the reference, above what igv.js draws of it. */
function rulerOf(part: IgvFrame, parent: HTMLElement, element: HTMLElement) {
  const drawn = element.shadowRoot?.querySelector('.igv-viewport')?.getBoundingClientRect()
  const { left, width } = parent.getBoundingClientRect()
  if (!drawn || drawn.width === 0) return []
  const place = { width, left: drawn.left - left, right: drawn.right - left }
  return [ruler({ start: Math.floor(part.start) + 1, end: Math.ceil(part.end), ...place })]
}

/** Loads igv.js on demand. It has a third of a megabyte, and only this page uses it. */
const loadIgv = async () => (await import('igv/dist/igv.esm.min.js')).default

/** Returns options with which igv.js loads nothing from other sites. */
function optionsOf(references: readonly Reference[], locus: string) {
  const sizes = references.map(({ name, length }) => `${name}\t${length}\n`).join('')
  return {
    loadDefaultGenomes: false,
    reference: {
      id: 'file',
      name: 'as in the file',
      fastaURL: new File([sizes], 'file.chrom.sizes'),
      format: 'chromsizes',
      indexed: false,
      wholeGenomeView: false,
    },
    locus,
    tracks: [],
    showNavigation: false,
    showRuler: false,
    showSequence: false,
    showIdeogram: false,
    showSampleNames: false,
  }
}
