import { type Progress, startProgress } from './progress.ts'
import type { Terminal } from './terminal.ts'

/** How far an import is in one of its phases. */
interface Step {
  readonly phase: string
  readonly done: number
  readonly total: number
}

/** A bar for each phase in turn. */
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
