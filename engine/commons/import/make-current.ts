import type { Releases } from '../release/releases.ts'

/**
 * Makes a release that was just made in the data folder the current one, in place of naming it there;
 * returns whether it is. What it throws leaves the release in the folder.
 */
export type MakeCurrent = (id: string) => Promise<boolean>

/**
 * Makes a new release the current one, by the given way or by naming it in its folder.
 * @throws EngineError as Releases.switchToNew; whatever the given way throws
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
