import type { Releases } from '../release/releases.ts'

/**
 * Makes a new release current without the pointer in the data folder, and returns whether it is now
 * current. If it throws, the release stays in the folder.
 */
export type MakeCurrent = (id: string) => Promise<boolean>

/**
 * Makes a new release current, by the given function or else by moving the pointer in the data folder.
 * @throws EngineError as Releases.switchToNew; any error of the given function
 */
export async function makeCurrent(
  id: string,
  releases: Releases,
  given: MakeCurrent | undefined,
): Promise<boolean> {
  if (given) return given(id)
  await releases.switchToNew(id)
  return true
}
