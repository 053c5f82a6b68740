import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'

const LOOK_MS = 100

/**
 * A folder that is made once per run, by the first test that needs it, while others wait. Copy its contents;
 * nothing may write into it.
 */
export async function madeOnce(
  name: string,
  make: (folder: string) => Promise<unknown>,
): Promise<string> {
  const made = join(inject('runFolder'), name)
  const taken = `${made}.taken`
  while (!existsSync(made)) {
    if (!(await isMadeNow(taken))) {
      await sleep(LOOK_MS)
      continue
    }
    try {
      if (existsSync(made)) break
      const making = await mkdtemp(`${made}-`)
      await make(making)
      await rename(making, made)
    } finally {
      await rm(taken, { recursive: true })
    }
  }
  return made
}

/** Creates a folder; returns false if it exists. */
const isMadeNow = (folder: string): Promise<boolean> =>
  mkdir(folder).then(
    () => true,
    (cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST') throw cause
      return false
    },
  )
