import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { runProgram } from '../../../bin/support/program.ts'
import { startS3 } from '../../../engine/shared/blobs/support/s3-server.ts'
import { formatReleasingReport } from '../../../engine/submission/index.ts'
import { available } from '../../available.ts'
import { PostgresServer } from '../../shared/database/support/postgres.ts'
import { STUDY, smallAlignment, submitStudy } from './support/small-study.ts'
import { ReleasingWorld } from './support/world.ts'

const NO_BAM = Buffer.from('no alignment')

let world: ReleasingWorld | undefined
afterEach(() => world?.close())

/** Runs `casemill release` with the folder of the world. */
const command = (...words: string[]) =>
  runProgram(['release', '--data', world?.folder ?? '', ...words])

test('the command tells what prevents a release, makes it beside a server, and says when there is nothing new', async () => {
  world = await ReleasingWorld.open()
  await world.register(STUDY)
  const ids = await submitStudy(world, NO_BAM)
  await world.handOver(STUDY)
  await world.set(ids.get('C1_bam') ?? '', { file_state: 'error', error_type: 'md5sum' })
  const prevented = await command('--dry-run')
  expect(prevented).toMatchObject({ status: 1 })
  expect(prevented.out).toContain(
    `${STUDY}: submitted_aligned_reads ${ids.get('C1_bam')}: its data are not here: its file_state is 'error' (md5sum)`,
  )
  expect(prevented.out).toContain('casemill project reopen ID gives a project back')
  const folder = ['--data', world.folder]
  expect(await runProgram(['project', 'reopen', 'PRO/ONE', ...folder])).toMatchObject({
    status: 0,
    out: 'PRO-ONE is open; 37 submitted entities can be changed again\n',
  })
  await world.set(ids.get('C1_bam') ?? '', { file_state: 'validated', error_type: '' })
  await world.handOver(STUDY)
  const made = await command('--release', '4.2', '--project', STUDY)
  expect(made).toMatchObject({ status: 0 })
  expect(made.out).toContain(`${STUDY}: 2 cases, 3 files, 2 annotations out of 37 entities`)
  expect(made.out).toContain('it cannot be sliced: ')
  expect(made.out).toContain('expression: 2 samples read; 2 genes of 2 cases now')
  expect(made.out).toContain('Data Release 4.2')
  // The server, which runs all the time, follows.
  expect(await world.hits('/cases')).toHaveLength(2)
  expect(await world.get('/status')).toMatchObject({ data_release: expect.stringContaining('4.2') })
  const again = await world.engine.submission.releasing.release()
  expect(formatReleasingReport(again)).toMatch(/^there is nothing to release: no project is marked/)
})

describe.skipIf(!available.postgresql)('with state in PostgreSQL', () => {
  const server = new PostgresServer()
  beforeAll(() => server.start())
  afterAll(() => server.stop())

  test('submitted entities are released and marked as released', async () => {
    const stateUrl = await server.url()
    world = await ReleasingWorld.open({ stateUrl })
    await world.register(STUDY)
    await submitStudy(world, NO_BAM)
    await world.handOver(STUDY)
    expect(await world.engine.submission.releasing.release()).toMatchObject({
      problems: [],
      projects: [{ cases: 2, files: 3 }],
      expression: { samplesRead: 2 },
    })
    expect(await world.hits('/files')).toHaveLength(3)
    expect(new Set((await world.states(STUDY)).values())).toEqual(
      new Set(['released', 'released released']),
    )
    expect(await world.project(STUDY)).toEqual({ state: 'open', releasable: 1, released: 0 })
    expect(await world.engine.submission.releasing.release()).toMatchObject({
      projects: [],
      problems: [],
    })
  })
})

test('bytes may be in object storage', async () => {
  const s3 = await startS3()
  const alignment = await smallAlignment()
  try {
    world = await ReleasingWorld.open({ objects: s3.options })
    await world.register(STUDY)
    const ids = await submitStudy(world, alignment.bytes)
    await world.handOver(STUDY)
    const report = await world.engine.submission.releasing.release()
    expect(report).toMatchObject({ problems: [], notes: [], expression: { samplesRead: 2 } })
    const slice = await world.ask(`/slicing/view/${ids.get('C1_bam')}?region=chr2`)
    const { byteLength } = await slice.arrayBuffer()
    expect([slice.status, byteLength > 5000]).toEqual([206, true])
    await world.close()
    world = undefined
  } finally {
    await alignment.remove()
    await s3.stop()
  }
})
