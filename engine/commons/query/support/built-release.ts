import { join } from 'node:path'
import { inlineExecutor } from '../../../shared/executor.ts'
import type { DatasetName } from '../../datasets/define.ts'
import { DATASETS } from '../../datasets/index.ts'
import { buildRelease } from '../../release/build.ts'
import { Release } from '../../release/release.ts'
import { writeSources } from '../../release/support/documents.ts'
import { compareUtf8, type Documents } from './memory-release.ts'

/** Builds a release from documents in any order, and opens it. */
export async function builtRelease(folder: string, documents: Documents, id: string) {
  const ordered = Object.entries(documents).map(([name, records]) => {
    const { idField } = DATASETS[name as DatasetName]
    const byId = records.toSorted((a, b) => compareUtf8(String(a[idField]), String(b[idField])))
    return [name, byId]
  })
  const sources = await writeSources(folder, Object.fromEntries(ordered))
  const facts = {
    dataRelease: 'Data Release 1.0',
    version: { major: 1, minor: 0, releaseDate: '2026-01-02' },
    createdAt: '2026-01-02T03:04:05.678Z',
    id,
  }
  await buildRelease({ folder, sources, facts, executor: inlineExecutor })
  return Release.open(join(folder, id))
}
