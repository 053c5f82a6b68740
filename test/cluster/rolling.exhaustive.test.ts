import { chmodSync, cpSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO_STAGING } from '../../fixtures/staging/algorithm.ts'
import { DEMO_TRIAL } from '../../fixtures/submission/trial.ts'
import { available } from '../available.ts'
import { Cluster, type Node } from './support/cluster.ts'
import { type EditReport, edit, isRenamed } from './support/editors.ts'
import { checkOutFormer, hasFormer, runIn } from './support/former.ts'
import { questionsOfAll } from './support/questions.ts'
import { answersOf, type Expected, type ReadReport, read } from './support/readers.ts'
import { type MarkReport, mark, marksIn } from './support/table-editors.ts'
import { type UploadReport, upload } from './support/uploaders.ts'
import { casesOf, type Target, type WriteReport, write } from './support/writers.ts'

// An earlier version is replaced by this one and comes back, as docs/how-to/operate/upgrade.md describes: nodes of
// one PostgreSQL database one at a time, with traffic, and the folder of a single server.

const ROOT = join(import.meta.dirname, '../..')
const PROGRAM = 'bin/casemill.ts'
const PREPARE = 'test/cluster/support/prepare.ts'
const PATIENCE_SECONDS = 300
const TABLE = `/rest/staging/${DEMO_STAGING.algorithm}/${DEMO_STAGING.version}/table/behavior`

interface Secrets {
  readonly token: string
  readonly key: string
  readonly editor: string
}

const canRoll = available.haproxy && available.postgresql && hasFormer()
if (!hasFormer()) process.stdout.write('the history lacks the earlier version; not tested\n')

describe.runIf(canRoll)('an earlier version is replaced, and comes back', () => {
  let folder = ''
  let former = ''
  let cluster: Cluster
  let secrets: Secrets
  /** Answers of the earlier version, and of this one for the same folder. */
  let expected: readonly Expected[]
  /** The folder of a single server of the earlier version, and the folder's backup. */
  let alone = ''
  let backup = ''
  let single: Secrets

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'casemill-rolling-'))
    chmodSync(folder, 0o755)
    former = join(folder, 'former')
    checkOutFormer(former)
    alone = join(folder, 'alone')
    backup = join(folder, 'backup')
    single = JSON.parse((await runIn(former, [PREPARE, alone])).stdout)
    cpSync(alone, backup, { recursive: true })
    cluster = await Cluster.start({ isLoopback: !available.namespaces, hasDisk: false })
    for (const node of cluster.nodes) await cluster.start(node, { program: join(former, PROGRAM) })
    await Promise.all(cluster.nodes.map(({ origin }) => cluster.untilReady(origin)))
    const maker = join(folder, 'maker')
    const prepared = await runIn(former, [PREPARE, maker], cluster.settings)
    secrets = JSON.parse(prepared.stdout)
    const release = (...words: readonly string[]) =>
      runIn(former, [PROGRAM, 'release', ...words, '--data', maker], cluster.settings)
    expect(await release('publish')).toMatchObject({ code: 0 })
    const [{ id }] = JSON.parse((await release('list', '--json')).stdout)
    expect(await release('switch', id)).toMatchObject({ code: 0 })
    await cluster.untilReady(cluster.origin)
  }, 1_800_000)
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  }, 60_000)

  test('a folder is served as before, and then only by this version or from its backup', {
    timeout: 1_800_000,
  }, async () => {
    const asked = questionsOfAll(single)
    const first = await cluster.startAlone(alone, { program: join(former, PROGRAM) })
    const before = await answersOf(first, asked)
    await cluster.endAlone()
    const check = await runIn(ROOT, [PROGRAM, 'state', 'migrate', '--check', '--data', alone])
    expect(check).toMatchObject({ code: 1 })
    // The database of a folder has no additive steps.
    for (const line of check.stdout.trim().split('\n')) expect(line).toMatch(/needs this version$/)
    const second = await cluster.startAlone(alone)
    const after = await answersOf(second, asked)
    await cluster.endAlone()
    // Responses in a form of their own, such as of a table in text, are those of the earlier version.
    const sums = (told: typeof before) => told.map(({ status, sum }) => ({ status, sum }))
    expect(sums(after)).toEqual(sums(before))
    const refused = await runIn(former, [PROGRAM, 'check', '--data', alone])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('written by a newer casemill')
    const restored = await cluster.startAlone(backup, { program: join(former, PROGRAM) })
    expect(sums(await answersOf(restored, asked))).toEqual(sums(before))
    await cluster.endAlone()
    const mine = questionsOfAll(secrets)
    expected = mine.map((question, i) => {
      const all = [before[i], after[i]].filter((told) => told !== undefined)
      return { question, answers: new Map([[all[0]?.release ?? '', all]]) }
    })
  })

  test('nodes are replaced one at a time, and go back, without an error that lasts', {
    timeout: 1_800_000,
  }, async () => {
    const target: Target = {
      origin: cluster.origin,
      token: secrets.token,
      code: DEMO_TRIAL.code,
      path: `/submission/${DEMO_TRIAL.program}/${DEMO_TRIAL.code}`,
    }
    const registry = { origin: cluster.origin, key: secrets.editor }
    const reads: ReadReport = { complete: 0, byRelease: new Map(), again: 0, wrong: [], lost: [] }
    const writes: WriteReport = { kept: [], asked: 0, again: 0, wrong: [], lost: [] }
    const uploads: UploadReport = { ...writes, kept: [], wrong: [], lost: [], uploaded: [] }
    const edits: EditReport = { kept: [], again: 0, wrong: [], lost: [] }
    const marks: MarkReport = { kept: [], conflicts: 0, again: 0, wrong: [], lost: [] }
    const over = new AbortController()
    const options = { seconds: PATIENCE_SECONDS, signal: over.signal }
    const traffic = [
      read(cluster.origin, expected, reads, { ...options, first: 0 }),
      read(cluster.origin, expected, reads, { ...options, first: 5 }),
      write(target, 'w0', writes, options),
      edit(registry, 'e0', edits, options),
      mark(registry, { path: TABLE, name: 't0' }, marks, options),
      upload(target, 'trial-1', uploads, options),
    ]
    const replace = async (node: Node, program?: string) => {
      await cluster.end(node, 'SIGTERM')
      await cluster.start(node, program === undefined ? {} : { program })
      await cluster.untilReady(node.origin)
    }
    const migrate = [PROGRAM, 'state', 'migrate', '--data', join(folder, 'maker')]
    const check = await runIn(ROOT, [...migrate, '--check'], cluster.settings)
    expect(check.stdout.trim().split('\n')).not.toEqual([''])
    for (const line of check.stdout.trim().split('\n')) expect(line).toMatch(/additive$/)
    expect(await runIn(ROOT, migrate, cluster.settings)).toMatchObject({ code: 0 })
    for (const node of cluster.nodes) await replace(node)
    for (const node of cluster.nodes) await replace(node, join(former, PROGRAM))
    over.abort()
    await Promise.all(traffic)
    process.stdout.write(
      `${reads.complete} complete answers (asked again ${reads.again}), ` +
        `${writes.kept.length} commits, ${edits.kept.length} edits, ${marks.kept.length} marks, ` +
        `${uploads.uploaded.length} uploads\n`,
    )
    for (const { wrong, lost } of [reads, writes, edits, marks, uploads]) {
      expect([wrong, lost]).toEqual([[], []])
    }
    expect(reads.complete).toBeGreaterThan(20)
    expect(uploads.uploaded.length).toBeGreaterThan(0)
    for (const id of edits.kept) {
      expect(await isRenamed(registry, id, PATIENCE_SECONDS, edits), id).toBe(true)
    }
    const marked = await marksIn(registry, TABLE, marks, PATIENCE_SECONDS)
    expect(marked.toSorted()).toEqual(marks.kept.toSorted())
    expect((await casesOf(target, 'w')).toSorted()).toEqual(writes.kept.toSorted())
  })
})
