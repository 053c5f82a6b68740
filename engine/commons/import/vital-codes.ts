/** Numbers of rows with a code in place of a vital status. */
export interface VitalCounts {
  /** Number of rows with the code 1. */
  readonly dead: number
  /** Number of rows with the code 0. */
  readonly alive: number
  /** Number of rows with the code 1 and days to death. */
  readonly deadWithDeath: number
  /** Number of rows with the code 0 and days to death. */
  readonly aliveWithDeath: number
}

/**
 * Counts codes of the vital status, which mean the opposite elsewhere: 1 is dead in tables of studies, and
 * alive in records of cancer registries. The days to death show which.
 */
export class VitalCodes {
  #counts: VitalCounts = NONE

  add(isDead: boolean, hasDeath: boolean): void {
    this.absorb({
      dead: Number(isDead),
      alive: Number(!isDead),
      deadWithDeath: Number(isDead && hasDeath),
      aliveWithDeath: Number(!isDead && hasDeath),
    })
  }

  absorb(counts: VitalCounts): void {
    const own = this.#counts
    this.#counts = {
      dead: own.dead + counts.dead,
      alive: own.alive + counts.alive,
      deadWithDeath: own.deadWithDeath + counts.deadWithDeath,
      aliveWithDeath: own.aliveWithDeath + counts.aliveWithDeath,
    }
  }

  get counts(): VitalCounts {
    return this.#counts
  }

  /** Returns the reason to doubt that 1 is dead, if the table does not show it. */
  doubt(): string | undefined {
    const { dead, alive, deadWithDeath, aliveWithDeath } = this.#counts
    if (dead + alive === 0 || (deadWithDeath > 0 && aliveWithDeath === 0)) return undefined
    if (aliveWithDeath === 0) {
      return `the vital status is 0 in ${alive} rows and 1 in ${dead}, read as Alive and Dead, and no days to death show that 1 is dead; write Alive and Dead`
    }
    if (deadWithDeath > 0) {
      return `rows with days to death have the vital status 0 (${aliveWithDeath}) and 1 (${deadWithDeath}), read as Alive and Dead; write Alive and Dead`
    }
    return `${aliveWithDeath} rows with the vital status 0 have days to death, and none with 1, as if 0 were dead; it is read as Alive; write Alive and Dead`
  }
}

const NONE: VitalCounts = { dead: 0, alive: 0, deadWithDeath: 0, aliveWithDeath: 0 }
