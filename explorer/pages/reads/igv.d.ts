/** The part of igv.js that the reads page uses. Its own types only cover files at URLs. */
declare module 'igv/dist/igv.esm.min.js' {
  import type { PopUpLine } from './pop-up.ts'

  interface Browser {
    loadTrack(track: Readonly<Record<string, unknown>>): Promise<unknown>
    search(locus: string): Promise<unknown>
    /** The handler receives the lines of a pop-up. It returns their HTML, or false to show no pop-up. */
    on(
      event: 'trackclick',
      handler: (track: unknown, lines?: readonly PopUpLine[]) => string | false,
    ): void
  }
  interface Igv {
    createBrowser(place: HTMLElement, options: Readonly<Record<string, unknown>>): Promise<Browser>
    removeBrowser(browser: Browser): void
  }
  const igv: Igv

  export type { Browser }
  export { igv as default }
}
