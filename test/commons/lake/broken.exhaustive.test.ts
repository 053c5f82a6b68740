import { watch } from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endOf, runProgram, startProgram } from '../../../bin/support/program.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { buildMadeRelease } from '../../../fixtures/release/build-made.ts'
import { Tmpfs } from '../../attack/support/tmpfs.ts'
import { available } from '../../available.ts'
import { readDelta } from './support/delta-reader.ts'
import { LakeWorld } from './support/lake-world.ts'

// An export that is killed, or whose disk is full, leaves every table at one of the two releases, and the same
// command completes it.

const KILLS = 10
/** The number of changes in an export's folder; the kill follows one of them. */
const CHANGES = 40
const TABLES = ['cases', 'files', 'genes', 'ssm_occurrences', 'expression']

let world: LakeWorld
beforeAll(async () => {
  world = await LakeWorld.make()
  for (const [id, seed] of [
    ['one', 5],
    ['two', 6],
  ] as const) {
    await buildMadeRelease({
      dataFolder: world.dataFolder,
      executor: inlineExecutor,
      scale: 'tiny',
      seed,
      id,
      expression: { genes: 40, cases: 30 },
    })
  }
})
afterAll(() => world?.remove())

const argsFor = (folder: string, release: string) => [
  ...['export', 'lake', '--out', folder, '--release', release, '--data', world.dataFolder],
]

/** Returns each table's release and ids, and checks that all its files exist. */
async function heldIn(folder: string) {
  const held = TABLES.map(async (name) => {
    const table = await readDelta(join(folder, name))
    const releases = table.files.map(({ partitionValues }) => partitionValues.release)
    const [sums] = await world.ask(
      table,
      'SELECT count(*) AS rows, sum(hash(lake)) AS sum FROM lake',
    )
    return { name, version: table.version, releases: [...new Set(releases)], sums }
  })
  return Promise.all(held)
}

test('killed at any moment, an export leaves whole tables and goes on', async () => {
  const { folder } = world
  expect(await runProgram(argsFor(folder, 'one'))).toMatchObject({ status: 0 })
  const first = await heldIn(folder)
  const whole = join(folder, '..', 'whole')
  await runProgram(argsFor(whole, 'one'))
  await runProgram(argsFor(whole, 'two'))
  const second = await heldIn(whole)
  const random = randomFrom()
  random.reseed(9)
  let killed = 0
  for (let i = 0; i < KILLS; i++) {
    const change = 1 + random.below(CHANGES)
    let changes = 0
    const watcher = watch(folder, { recursive: true }, () => {
      if (++changes === change) child.kill('SIGKILL')
    })
    const child = startProgram(argsFor(folder, 'two'))
    const { signal } = await endOf(child)
    watcher.close()
    if (signal === 'SIGKILL') killed++
    for (const [t, table] of (await heldIn(folder)).entries()) {
      expect([first[t], second[t]]).toContainEqual(table)
    }
  }
  expect(killed).toBeGreaterThan(0)
  // A kill during the write of a small file leaves this.
  await writeFile(join(folder, '.export', '.cases.json.1.part'), '{')
  expect(await runProgram(argsFor(folder, 'two'))).toMatchObject({ status: 0 })
  expect(await heldIn(folder)).toEqual(second)
  expect(await readdir(join(folder, '.export'))).toEqual(['lock'])
})

describe.skipIf(!available.tmpfs)('a full disk', () => {
  test('is named, changes no table, and the same command goes on', async () => {
    const disk = Tmpfs.mount(48 << 20)
    try {
      const folder = join(disk.path, 'lake')
      expect(await runProgram(argsFor(folder, 'one'))).toMatchObject({ status: 0 })
      const before = await heldIn(folder)
      for (const bytes of [0, 50_000, 200_000]) {
        disk.leave(bytes)
        const { status, err } = await runProgram(argsFor(folder, 'two'))
        expect(status).not.toBe(0)
        expect(err).toMatch(/disk .*full.*make room/)
        expect(err).not.toContain('unexpected')
        expect(await heldIn(folder)).toEqual(before)
        await rm(join(disk.path, 'filler'))
      }
      expect(await runProgram(argsFor(folder, 'two'))).toMatchObject({ status: 0 })
      expect((await heldIn(folder)).map(({ releases }) => releases)).toEqual(
        TABLES.map(() => ['two']),
      )
    } finally {
      disk.unmount()
    }
  })
})
