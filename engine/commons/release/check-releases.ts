import { join } from 'node:path'
import { EngineError } from '../../shared/errors.ts'
import type { Issue } from '../../shared/issue.ts'
import type { Releases } from './releases.ts'
import { verifyRelease } from './verify.ts'

/** Verifies every release in the data folder, and that one of them is the current release. */
export async function* checkReleases(releases: Releases): AsyncGenerator<Issue> {
  const ids = await releases.names()
  for (const id of ids) {
    for await (const { subject, problem } of verifyRelease(releases.folder(id))) {
      yield { subject: join('releases', id, subject), problem }
    }
  }
  const subject = join('releases', 'current')
  try {
    const current = await releases.current()
    if (current === undefined || ids.includes(current)) return
    yield { subject, problem: `names "${current}", which is no release` }
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    yield { subject, problem: error.message }
  }
}
