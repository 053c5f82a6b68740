import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'

const LOOK_MS = 100

/**
 * A folder that the first who asks for it in a run makes, while others wait. Nothing may write into it: copy what is
 * in it.
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

/** Makes a folder; false where it is there. */
const isMadeNow = (folder: string): Promise<boolean> =>
  mkdir(folder).then(
    () => true,
    (cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST') throw cause
      return false
    },
  )
