import { type Progress, startProgress } from './progress.ts'
import type { Terminal } from './terminal.ts'

/** Progress of one phase of an import. */
interface Step {
  readonly phase: string
  readonly done: number
  readonly total: number
}

/** Draws a progress bar for each phase. */
export function drawSteps(terminal: Terminal) {
  let phase: string | undefined
  let bar: Progress | undefined
  let drawn = 0
  return {
    show(step: Step) {
      if (step.phase !== phase) {
        bar?.stop()
        bar = startProgress(terminal, step.phase, step.total)
        phase = step.phase
        drawn = 0
      }
      bar?.advance(step.done - drawn)
      drawn = step.done
    },
    stop: () => bar?.stop(),
  }
}
