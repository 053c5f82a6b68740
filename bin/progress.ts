import { Presets, SingleBar } from 'cli-progress'
import type { Terminal } from './terminal.ts'

export interface Progress {
  advance(by: number): void
  /** Makes the whole longer. */
  expect(more: number): void
  /** Clears the bar's line for a line of output; the bar comes back by itself. */
  clearLine(): void
  /** Removes the bar. */
  stop(): void
}

/** Draws a bar on standard error when a person looks at it, and nothing otherwise. */
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
