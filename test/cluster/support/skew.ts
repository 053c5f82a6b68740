// Moves the clock of a process and its threads: `node --import skew.ts`, by CLUSTER_SKEW_SECONDS. Durations
// (performance.now, timers) stay as they are, as they do on a machine whose clock is wrong.

const milliseconds = Number(process.env.CLUSTER_SKEW_SECONDS) * 1000
const Right = Date

class Skewed extends Right {
  constructor(...given: ConstructorParameters<typeof Date> | []) {
    if (given.length === 0) super(Skewed.now())
    else super(...given)
  }

  static override now(): number {
    return Right.now() + milliseconds
  }
}

globalThis.Date = Skewed as DateConstructor
