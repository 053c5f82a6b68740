import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Scratch } from '../../shared/executor.ts'
import { datasetOf } from '../datasets/index.ts'
import { selectFields } from '../datasets/select.ts'
import { builtRelease } from '../query/support/built-release.ts'
import { Release } from '../release/release.ts'
import { ColumnSources } from './column-sources.ts'
import { compileProjection } from './projection.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-sources-'))
  const files = Array.from({ length: 9 }, (_, i) => ({ file_id: `file-${i}` }))
  await (await builtRelease(folder, { files }, 'r')).close()
})

afterAll(() => rm(folder, { recursive: true, force: true }))

function projectionOf(fields: readonly string[]) {
  const files = datasetOf('files')
  return compileProjection(files, selectFields(files, { fields }, 'list').selection)
}

test('columns are loaded when as many documents were read as would have taken as long', async () => {
  await using release = closing(await Release.open(join(folder, 'r')))
  const sources = new ColumnSources()
  const asked = { projection: projectionOf(['file_id']), rows: 1 }
  const found: boolean[] = []
  for (let i = 0; i < 40; i++) found.push(!!(await sources.of(asked, release.release, undefined)))
  // Columns are smaller than 32 documents, and their size is checked after that many rows.
  expect(found.indexOf(true)).toBe(31)
  expect(found.slice(31)).not.toContain(false)
  const handles = await sources.of(asked, release.release, undefined)
  expect(handles).toBe(await sources.of(asked, release.release, undefined))
  const context = { release: release.release, scratch: new Scratch() }
  const table = sources.tableOf(asked.projection, handles!, context)
  expect(sources.tableOf(asked.projection, handles!, context)).toBe(table)
})

test('arrays that gave way to others are not looked at again', async () => {
  await using release = closing(await Release.open(join(folder, 'r')))
  const sources = new ColumnSources()
  let isHeld = true
  const forgetful = {
    manifest: release.release.manifest,
    holds: () => isHeld,
    buffers: release.release.buffers,
    load: release.release.load.bind(release.release),
    documents: release.release.documents.bind(release.release),
    sizeOf: release.release.sizeOf.bind(release.release),
  }
  const projection = projectionOf(['file_id'])
  const before = await sources.of({ projection, rows: 32 }, forgetful, undefined)
  expect(before).toBeDefined()
  isHeld = false
  // The count starts again: one row is not enough to load the columns.
  expect(await sources.of({ projection, rows: 1 }, forgetful, undefined)).toBeUndefined()
  const again = await sources.of({ projection, rows: 32 }, forgetful, undefined)
  expect(again).toBeDefined()
  expect(again).not.toBe(before)
})

test('columns that would take most of the memory are not', async () => {
  await using release = closing(await Release.open(join(folder, 'r'), { memory: 1024 }))
  const sources = new ColumnSources()
  const asked = { projection: projectionOf(['file_id']), rows: 1 << 20 }
  expect(await sources.of(asked, release.release, undefined)).toBeUndefined()
})

const closing = (release: Release) => ({
  release,
  [Symbol.asyncDispose]: () => release.close(),
})
