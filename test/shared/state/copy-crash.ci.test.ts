import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { takeServedFolder } from '../../../bin/served-folder.ts'
import { openEngine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { copyState } from '../../../engine/state-copy.ts'
import { available } from '../../available.ts'
import { sample } from '../../depth.ts'
import { registerProject } from '../../submission/support/file-service.ts'
import { PostgresServer } from '../database/support/postgres.ts'

// A killed copy of state leaves the target unchanged or complete, and can be repeated.

const KILLED = fileURLToPath(new URL('support/killed-copy.ts', import.meta.url))
const NOTHING = { users: [], programs: [] }
const ALL = { users: ['ada'], programs: ['GDC'] }

describe.skipIf(!available.postgresql)('a copy of state that is killed', () => {
  const server = new PostgresServer()
  let folder = ''
  let first = ''
  let stateUrl = ''
  beforeAll(async () => {
    await server.start()
    stateUrl = await server.url()
    folder = await mkdtemp(join(tmpdir(), 'casemill-copy-crash-'))
    first = join(folder, 'first')
    const engine = await openEngine({ dataFolder: first, executor: inlineExecutor })
    await engine.shared.tokens.create({ user: 'ada' })
    await registerProject(engine.submission.transactions)
    await engine.close()
  })
  afterAll(async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** What a server started now would serve. */
  async function served(dataFolder: string, url?: string) {
    const giveBack = url === undefined ? await takeServedFolder(dataFolder) : () => {}
    const engine = await openEngine({ dataFolder, executor: inlineExecutor, stateUrl: url })
    try {
      await engine.start()
      const users = (await engine.shared.tokens.list()).map(({ user }) => user)
      const sql = 'SELECT name FROM submission_programs'
      const programs = await engine.submission.database.ask<{ readonly name: string }>(sql)
      return { users, programs: programs.map(({ name }) => name) }
    } finally {
      await engine.close()
      giveBack()
    }
  }

  async function kill(...words: readonly string[]): Promise<void> {
    const child = spawn(process.execPath, [KILLED, ...words], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
  }

  const inOrder = async (at: string) => (await readdir(at)).toSorted()
  const WHOLE = ['database.sqlite', 'serving.lock', 'state.sqlite']

  test('into a database leaves that empty, and can be run again', async () => {
    for (const tables of sample([0, 3, 20], 1)) {
      await kill('database', first, stateUrl, 'table', String(tables))
      const elsewhere = await mkdtemp(join(folder, 'elsewhere-'))
      expect(await served(elsewhere, stateUrl)).toEqual(NOTHING)
      expect(await served(first)).toEqual(ALL)
    }
    await copyState({ dataFolder: first, stateUrl, to: 'database' })
    expect(await served(await mkdtemp(join(folder, 'elsewhere-')), stateUrl)).toEqual(ALL)
  })

  describe.each([
    ['table', '5', NOTHING],
    ['rename', '0', NOTHING],
    // One of the two databases has been moved to its place.
    ['rename', '1', ALL],
    ['end', '0', ALL],
  ] as const)('into a folder, by its %s %s', (where, number, found) => {
    const dead = async (name: string) => {
      const data = join(folder, `${name}-${where}-${number}`)
      await kill('folder', data, stateUrl, where, number)
      return data
    }

    test('leaves nothing or all to a server that starts, and no parts', async () => {
      const data = await dead('served')
      expect(await served(data)).toEqual(found)
      expect(await inOrder(data)).not.toContain('state.part')
      expect(await served(data)).toEqual(found)
    })

    // A copy that has finished has nothing left to do.
    if (where === 'end') return
    test('can be run again', async () => {
      const data = await dead('again')
      await copyState({ dataFolder: data, stateUrl, to: 'folder' })
      expect(await inOrder(data)).toEqual(WHOLE)
      expect(await served(data)).toEqual(ALL)
    })
  })
})
