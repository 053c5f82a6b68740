import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importCommons } from '../../../engine/commons/import/import-commons.ts'
import { type Engine, openEngine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { publicData } from '../../../fixtures/public-data.ts'
import type { App } from '../../../server/http/compose.ts'
import { available } from '../../available.ts'
import { appOf } from '../search/support/app.ts'

// Every replaced file of the public test data is compared with its tables, read line by line.

const FILES = publicData('data/files')

type Json = Record<string, unknown>

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Rows of all matching tables in a folder, by column name. */
function rowsOf(folder: string, pattern: RegExp): Record<string, string>[] {
  const names = readdirSync(join(FILES, folder)).filter((name) => pattern.test(name))
  return names.flatMap((name) => {
    const lines = gunzipSync(readFileSync(join(FILES, folder, name)))
      .toString()
      .split('\n')
    const header = lines[0]!.split('\t')
    return lines.slice(1).map((line) => {
      const cells = line.split('\t')
      const row = Object.fromEntries(header.map((column, i) => [column, cells[i] ?? '']))
      return { ...row, release: /DR(\d+\.\d+)/.exec(name)?.[1] ?? '' }
    })
  })
}

describe.skipIf(!available.shared)('replaced files of the public test data', () => {
  let folder = ''
  let engine: Engine
  let app: App
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'casemill-shared-versions-'))
    const executor = inlineExecutor
    await importCommons({ sources: [FILES], dataFolder: folder, executor, release: '32.0' })
    engine = await openEngine({ dataFolder: folder, executor })
    await engine.start()
    app = appOf(engine)
  })
  afterAll(async () => {
    await engine?.close()
    await rm(folder, { recursive: true, force: true })
  })

  /** Requests versions as the transfer client does, 500 ids at a time. */
  async function versions(ids: readonly string[]): Promise<Json[]> {
    const records: Json[] = []
    for (let at = 0; at < ids.length; at += 500) {
      const body = JSON.stringify({ ids: ids.slice(at, at + 500) })
      const headers = { 'Content-Type': 'application/json' }
      const answer = await app.request('/files/versions', { method: 'POST', body, headers })
      expect(answer.status).toBe(200)
      records.push(...((await answer.json()) as Json[]))
    }
    return records
  }

  test('of project manifests lead to the new file, with its facts', async () => {
    const rows = rowsOf('manifests', /^GCv36/).filter(({ new_id: id = '' }) => UUID.test(id))
    // ORIGIN.md: 32,722 rows are version steps.
    expect(rows).toHaveLength(32_722)
    const records = await versions(rows.map(({ id = '' }) => id))
    expect(
      records.map((record) => ({ ...record, latest_filename: undefined, latest_state: undefined })),
    ).toEqual(
      rows.map((row) => ({
        ...{ id: row.id, filename: row.filename, version: '1', md5: row.md5 },
        ...{ size: Number(row.size), state: 'released', release: null, latest_id: row.new_id },
        ...{ latest_version: '2', latest_md5: row.new_md5, latest_size: Number(row.new_size) },
        latest_release: ['32.0'],
      })),
    )
  })

  test('of lists by release lead to the new file, whether or not it has a record', async () => {
    const rows = rowsOf('history', /swap/).filter(
      (row) => UUID.test(row['Old File UUID'] ?? '') && UUID.test(row['New File UUID'] ?? ''),
    )
    // zcat history/*.gz | cut -f2,4 | grep -cP '^[0-9a-f-]{36}\t[0-9a-f-]{36}$'
    expect(rows).toHaveLength(22_373)
    const records = await versions(rows.map((row) => row['Old File UUID'] ?? ''))
    expect(records.map(({ id, filename, latest_id }) => [id, filename, latest_id])).toEqual(
      rows.map((row) => [row['Old File UUID'], row['Old File Name'], row['New File UUID']]),
    )
    const served = new Set(
      (await versions(rows.map((row) => row['New File UUID'] ?? '')))
        .filter(({ md5 }) => md5 !== null)
        .map(({ id }) => id),
    )
    for (const row of [...rows.slice(0, 50), ...rows.slice(-50)]) {
      const [old, next] = [row['Old File UUID'], row['New File UUID']]
      const release = served.has(next) ? '32.0' : row.release
      for (const id of [old, next]) {
        const answer = await app.request(`/history/${id}`)
        expect(await answer.json()).toMatchObject([
          { uuid: old, version: '1', file_change: 'superseded', data_release: null },
          { uuid: next, version: '2', file_change: 'released', data_release: release },
        ])
      }
    }
  })
})
