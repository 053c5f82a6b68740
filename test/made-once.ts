import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'

/** A folder that the first who asks for it in a run makes. Nothing may write into it: copy what is in it. */
export async function madeOnce(
  name: string,
  make: (folder: string) => Promise<unknown>,
): Promise<string> {
  const made = join(inject('runFolder'), name)
  if (existsSync(made)) return made
  const making = await mkdtemp(`${made}-`)
  await make(making)
  try {
    await rename(making, made)
  } catch (cause) {
    await rm(making, { recursive: true, force: true })
    // Somebody else was faster.
    if (!existsSync(made)) throw cause
  }
  return made
}
