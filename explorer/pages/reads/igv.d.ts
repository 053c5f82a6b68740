/** The part of igv.js that the reads page uses. Its own types only cover files at URLs. */
declare module 'igv/dist/igv.esm.min.js' {
  import type { PopUpLine } from './pop-up.ts'

  /** Part of a reference that is shown, 0-based. It may have fractions while it is dragged. */
  interface IgvFrame {
    readonly start: number
    readonly end: number
  }
  interface Browser {
    readonly genome: {
      /** Returns the bases of a part of the reference, which igv.js compares with those of reads. */
      getSequence: () => Promise<Readonly<Record<'toUpperCase' | 'charAt', () => string>>>
    }
    loadTrack(track: Readonly<Record<string, unknown>>): Promise<unknown>
    search(locus: string): Promise<unknown>
    /** The handler receives the lines of a pop-up. It returns their HTML, or false to show no pop-up. */
    on(
      event: 'trackclick',
      handler: (track: unknown, lines?: readonly PopUpLine[]) => string | false,
    ): void
    on(event: 'locuschange', handler: (shown: readonly IgvFrame[]) => void): void
  }
  interface Igv {
    createBrowser(place: HTMLElement, options: Readonly<Record<string, unknown>>): Promise<Browser>
    removeBrowser(browser: Browser): void
  }
  const igv: Igv

  export type { Browser, IgvFrame }
  export { igv as default }
}
