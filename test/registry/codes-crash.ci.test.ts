import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Ndc } from '../../engine/registry/codes/ndc/ndc.ts'
import { productOf } from '../../engine/registry/codes/ndc/record.ts'
import { CodeRepository } from '../../engine/registry/codes/repository.ts'
import { finished } from '../../engine/registry/codes/support/made-codes.ts'
import type { ImportedCodes } from '../../engine/registry/codes/tables/import-run.ts'
import { sharedState } from '../../engine/shared-state.ts'
import { randomFrom } from '../../fixtures/random.ts'

const KILLED = fileURLToPath(new URL('support/killed-import.ts', import.meta.url))
const CODES = Array.from({ length: 3000 }, (_, i) => `1000-${String(i).padStart(4, '0')}`)

let folder = ''
let state = ''
let table = { before: '', after: '' }
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-codes-crash-'))
  state = join(folder, 'data')
  table = {
    before: await give('before.txt', CODES, 'before'),
    // A third of the codes is removed, the rest is changed, and some are new.
    after: await give('after.txt', [...CODES.slice(1000), '2000-0001', '2000-0002'], 'after'),
  }
})
afterAll(() => rm(folder, { recursive: true }))

async function give(file: string, codes: readonly string[], name: string): Promise<string> {
  const path = join(folder, file)
  await writeFile(path, finished(...codes.map((code) => [code, `${name} ${code}`] as const)))
  return path
}

/** The numbers of products by name, and by whether they were removed. */
async function counts(): Promise<Record<string, number>> {
  const opened = sharedState({ dataFolder: state })
  const found: Record<string, number> = {}
  for await (const stored of new CodeRepository(opened, 'ndc').records()) {
    const { proprietary_name = '', date_removed } = productOf(stored)
    const [name = ''] = proprietary_name.split(' ')
    const kind = date_removed === undefined ? name : `${name}, removed`
    found[kind] = (found[kind] ?? 0) + 1
  }
  await opened.close()
  return found
}

async function load(products: string): Promise<ImportedCodes> {
  const opened = sharedState({ dataFolder: state })
  try {
    const ndc = new Ndc({ state: opened, clock: () => new Date() })
    return await ndc.import({ products }, { user: 'import' })
  } finally {
    await opened.close()
  }
}

test('an import that is killed leaves the old products, and can be run again', async () => {
  await load(table.before)
  expect(await counts()).toEqual({ before: 3000 })
  const random = randomFrom(81)
  // The import is killed at the start, at random rows, and when everything is written but not committed.
  for (const rows of [0, 1 + random.below(1000), 1 + random.below(2001), 2002]) {
    const child = spawn(process.execPath, [KILLED, state, table.after, String(rows)])
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
    expect(await counts()).toEqual({ before: 3000 })
  }
  const report = await load(table.after)
  expect(report.records).toEqual({ added: 2, changed: 2000, removed: 1000, reappeared: 0, same: 0 })
  expect(await counts()).toEqual({ after: 2002, 'before, removed': 1000 })
})
