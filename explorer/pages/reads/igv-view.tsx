import type { Browser } from 'igv/dist/igv.esm.min.js'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ErrorNote, LoadingNote } from '../../parts/notes.tsx'
import type { Reference } from './bam.ts'
import { escaped, popUpOf } from './pop-up.ts'
import { type Region, regionText } from './region.ts'

interface IgvViewProps {
  /** References in the file's header. */
  readonly references: readonly Reference[]
  /** The slice to show. A new slice creates a new view. */
  readonly slice: Blob
  readonly name: string
  readonly region: Region
}

/** Height in CSS pixels. */
const TRACK_HEIGHT = 380
/** Length in bases that covers any slice, so that igv.js always shows reads. */
const EVERYTHING = 1e9
/** Height of a read in CSS pixels. */
const ROW_HEIGHT = 9

/** Shows coverage and reads of a slice with igv.js, from loaded bytes, without requests. */
export function IgvView({ references, slice, name, region }: IgvViewProps) {
  const place = useRef<HTMLDivElement>(null)
  const [error, setError] = useState<string>()
  const [isReady, setReady] = useState(false)
  const locus = regionText(region)
  useEffect(() => {
    const parent = place.current
    if (!parent) return
    let isLeaving = false
    let shown: Browser | undefined
    const element = document.createElement('div')
    parent.replaceChildren(element)
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
      browser.on('trackclick', (_track, lines = []) => lines.length > 0 && popUpOf(lines))
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
      if (!isLeaving) setReady(true)
    }
    show().catch((cause: unknown) => {
      if (!isLeaving) setError(`The reads cannot be drawn: ${String(cause)}`)
    })
    return () => {
      isLeaving = true
      if (shown) loadIgv().then((igv) => shown && igv.removeBrowser(shown))
    }
  }, [references, slice, name, locus])
  return (
    <>
      {error !== undefined && <ErrorNote text={error} />}
      {!isReady && error === undefined && <LoadingNote />}
      <div ref={place} class="reads" />
    </>
  )
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
    showIdeogram: false,
    showSampleNames: false,
  }
}
