import { Presets, SingleBar } from 'cli-progress'
import type { Terminal } from './terminal.ts'

export interface Progress {
  advance(by: number): void
  /** Removes the bar. */
  stop(): void
}

/** Draws a bar on standard error when a person looks at it, and nothing otherwise. */
export function startProgress(terminal: Terminal, label: string, total: number): Progress {
  if (!terminal.err.isTTY) return { advance: () => {}, stop: () => {} }
  const bar = new SingleBar(
    {
      stream: terminal.err,
      format: `${label} {bar} {percentage}% {eta_formatted}`,
      clearOnComplete: true,
      hideCursor: true,
    },
    Presets.shades_classic,
  )
  bar.start(total, 0)
  return { advance: (by) => bar.increment(by), stop: () => bar.stop() }
}
