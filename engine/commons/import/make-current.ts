import type { Releases } from '../release/releases.ts'

/**
 * Makes a new release current in another way than by the pointer in the data folder. Returns whether the release
 * is now current. If it throws, the release remains in the folder.
 */
export type MakeCurrent = (id: string) => Promise<boolean>

/**
 * Makes a new release current with the given function, or otherwise by moving the pointer in the data folder.
 * @throws EngineError like Releases.switchToNew; errors of the given function
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
