import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { EngineError } from '../../shared/errors.ts'
import { unlessAbsent } from '../../shared/unless-absent.ts'
import { Releases } from '../release/releases.ts'
import { type ImportReport, REPORT_NAME } from './report.ts'

/**
 * Reads the report of the import that made a release.
 * @param id name of the release's folder, by default that of the current release
 * @throws EngineError not_found for an unknown release, or one without a report
 */
export async function readReport(dataFolder: string, id?: string): Promise<ImportReport> {
  const releases = new Releases(dataFolder)
  const all = await releases.list()
  const wanted = id ?? (await releases.current())
  if (!all.some((release) => release.id === wanted)) {
    const message = `the data folder has no release ${id ?? ''}; casemill release list shows them`
    throw new EngineError('not_found', message)
  }
  const path = join(releases.folder(wanted ?? ''), REPORT_NAME)
  const text = await unlessAbsent(readFile(path, 'utf8'))
  if (text !== undefined) return JSON.parse(text)
  throw new EngineError('not_found', `release ${wanted} has no report: an earlier version made it`)
}
