import { Presets, SingleBar } from 'cli-progress'
import type { Terminal } from './terminal.ts'

export interface Progress {
  advance(by: number): void
  /** Increases the total. */
  expect(more: number): void
  /** Clears the bar for a line of output. The bar reappears by itself. */
  clearLine(): void
  /** Removes the progress bar. */
  stop(): void
}

/** Draws a progress bar on standard error, if that is a terminal. */
export function startProgress(
  terminal: Pick<Terminal, 'err'>,
  label: string,
  total: number,
): Progress {
  if (!terminal.err.isTTY) {
    return { advance: () => {}, expect: () => {}, clearLine: () => {}, stop: () => {} }
  }
  const bar = new SingleBar(
    {
      stream: terminal.err,
      format: `${label} {bar} {percentage}% {eta_formatted}`,
      clearOnComplete: true,
      hideCursor: true,
      emptyOnZero: true,
    },
    Presets.shades_classic,
  )
  bar.start(total, 0)
  return {
    advance: (by) => bar.increment(by),
    expect: (more) => bar.setTotal(bar.getTotal() + more),
    clearLine: () => void terminal.err.write('\r\x1b[K'),
    stop: () => bar.stop(),
  }
}
