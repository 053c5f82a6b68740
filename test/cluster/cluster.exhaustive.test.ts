import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO_EXPRESSION, DEMO_FILES, DEMO_RELEASE } from '../../fixtures/demo-commons.ts'
import { DEMO_STAGING } from '../../fixtures/staging/algorithm.ts'
import { DEMO_TRIAL } from '../../fixtures/submission/trial.ts'
import { available } from '../available.ts'
import { bareEnvironment } from '../bare-environment.ts'
import { copyDemo } from '../demo/copy-demo.ts'
import { eventually } from '../eventually.ts'
import { askOnce, sumOf } from './support/client.ts'
import { Cluster, type Node } from './support/cluster.ts'
import { type EditReport, edit, isRenamed } from './support/editors.ts'
import { type Institution, type PeopleReport, startInstitution, visit } from './support/people.ts'
import { questions } from './support/questions.ts'
import { answersOf, type Expected, type ReadReport, read } from './support/readers.ts'
import { difference, keepSets, type SetReport } from './support/set-keepers.ts'
import { type MarkReport, mark, marksIn } from './support/table-editors.ts'
import { type UploadReport, upload } from './support/uploaders.ts'
import { casesOf, type Target, type WriteReport, write } from './support/writers.ts'

// Three nodes are cut off from each other, their database and their bucket, and killed. Readers compare each
// complete answer with that of a single node with the same release, and writers and editors record the
// acknowledged changes.

/** The duration of the faults in seconds; CLUSTER_SECONDS=3600 makes it an hour. */
const SECONDS = Number(process.env.CLUSTER_SECONDS ?? 60)
const READERS = 3
const WRITERS = 2
/** Longer than any fault and the recovery from it: a dead server is noticed after a minute. */
const PATIENCE_SECONDS = 120
const SKEW_SECONDS = 300

const PROGRAM = join(import.meta.dirname, '../../bin/casemill.ts')
const PREPARE = join(import.meta.dirname, 'support/prepare.ts')
/** The additional data of the other release. */
const MORE = join(import.meta.dirname, '../../examples/real-export/cart')
/** The readers' answers do not depend on the notes of this table. */
const TABLE = `/rest/staging/${DEMO_STAGING.algorithm}/${DEMO_STAGING.version}/table/behavior`

interface Secrets {
  readonly token: string
  readonly key: string
  readonly editor: string
}

async function prepare(
  folder: string,
  settings: Readonly<Record<string, string>>,
  ...issuer: readonly string[]
) {
  await mkdir(folder, { recursive: true })
  const env = { ...bareEnvironment(), ...settings }
  const words = [PREPARE, folder, ...issuer]
  const { stdout } = await promisify(execFile)(process.execPath, words, { env })
  return JSON.parse(stdout) as Secrets
}

/** Runs a command with a folder, and returns its output. */
async function run(
  folder: string,
  words: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = { ...bareEnvironment(), ...settings }
  const all = [PROGRAM, ...words, '--data', folder]
  return (await promisify(execFile)(process.execPath, all, { env })).stdout
}

/** Runs a command with the maker's folder, as an operator may from anywhere. */
const casemill = (cluster: Cluster, ...words: readonly string[]) =>
  run(join(cluster.folder, 'maker'), words, cluster.settings)

/** The id of the newest release. */
async function newestOf(list: Promise<string>): Promise<string> {
  const listed: readonly { readonly id: string }[] = JSON.parse(await list)
  return listed.at(-1)?.id ?? ''
}

/**
 * Namespaces are closer to real machines, but need root; CLUSTER_LOOPBACK=1 uses addresses even as root. Without
 * root, no disk can be mounted, so no node has a full disk.
 */
const IS_LOOPBACK = !available.namespaces || process.env.CLUSTER_LOOPBACK === '1'

describe.runIf(available.haproxy && available.postgresql)('three nodes behind a balancer', () => {
  let cluster: Cluster
  let institution: Institution
  let secrets: Secrets
  let single: Secrets
  let expected: readonly Expected[]
  /** The id of a release with other answers. */
  let other = ''

  beforeAll(async () => {
    institution = await startInstitution()
    const { settings, port, provider } = institution
    cluster = await Cluster.start({ isLoopback: IS_LOOPBACK, hasDisk: available.tmpfs, settings })
    await cluster.share(port)
    for (const node of cluster.nodes) await cluster.start(node)
    await Promise.all(cluster.nodes.map(({ origin }) => cluster.untilReady(origin)))
    secrets = await prepare(join(cluster.folder, 'maker'), cluster.settings, provider.issuer)
    await casemill(cluster, 'release', 'publish')
    await casemill(cluster, 'release', 'switch', DEMO_RELEASE)
    await casemill(cluster, 'import', 'commons', MORE, '--no-switch')
    other = await newestOf(casemill(cluster, 'release', 'list', '--json'))
    // A single process serves the same data from a folder.
    const alone = join(cluster.folder, 'alone')
    await copyDemo(alone)
    single = await prepare(alone, {})
    const node = await cluster.startAlone(alone)
    const before = await answersOf(node, questions(single))
    await run(alone, ['import', 'commons', MORE])
    const newest = await newestOf(run(alone, ['release', 'list', '--json']))
    await untilServed(node, newest)
    const after = await answersOf(node, questions(single))
    const ours = new Map([
      [DEMO_RELEASE, DEMO_RELEASE],
      [newest, other],
    ])
    expected = questions(secrets).map((question, i) => {
      const both = [before[i], after[i]].filter((each) => each !== undefined)
      return {
        question,
        answers: new Map(both.map((told) => [ours.get(told.release) ?? '', [told]])),
      }
    })
    // If the answers were equal, a wrong switch would go unnoticed.
    const differing = before.filter(({ sum }, i) => sum !== after[i]?.sum)
    expect(differing.length).toBeGreaterThan(2)
    await cluster.untilReady(cluster.origin)
  }, 1_800_000)
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]()
    await institution?.provider.close()
  }, 60_000)

  test('lose no write and give no wrong byte, whatever fails', { timeout: 4_000_000 }, async () => {
    const target: Target = {
      origin: cluster.origin,
      token: secrets.token,
      code: DEMO_TRIAL.code,
      path: `/submission/${DEMO_TRIAL.program}/${DEMO_TRIAL.code}`,
    }
    const reads: ReadReport = {
      complete: 0,
      byRelease: new Map(),
      again: 0,
      wrong: [],
      lost: [],
    }
    const writes: WriteReport = { kept: [], asked: 0, again: 0, wrong: [], lost: [] }
    const uploads: UploadReport = {
      kept: [],
      asked: 0,
      again: 0,
      wrong: [],
      lost: [],
      uploaded: [],
    }
    const edits: EditReport = { kept: [], again: 0, wrong: [], lost: [] }
    const marks: MarkReport = { kept: [], conflicts: 0, again: 0, wrong: [], lost: [] }
    const sets: SetReport = { kept: [], again: 0, wrong: [], lost: [] }
    const people: PeopleReport = {
      logins: 0,
      revoked: 0,
      byJwt: 0,
      again: 0,
      wrong: [],
      lost: [],
    }
    const [, { id: controlled }] = DEMO_FILES
    const file = expected.find(({ question }) => question.path === `/data/${controlled}`)
    const [[{ sum = '' } = {}] = []] = file?.answers.values() ?? []
    const registry = { origin: cluster.origin, key: secrets.editor }
    const over = new AbortController()
    const options = { seconds: PATIENCE_SECONDS, signal: over.signal }
    const traffic = [
      ...Array.from({ length: READERS }, (_, i) =>
        read(cluster.origin, expected, reads, { ...options, first: i * 5 }),
      ),
      ...Array.from({ length: WRITERS }, (_, i) => write(target, `w${i}`, writes, options)),
      edit(registry, 'e0', edits, options),
      edit(registry, 'e1', edits, options),
      mark(registry, { path: TABLE, name: 't0' }, marks, options),
      mark(registry, { path: TABLE, name: 't1' }, marks, options),
      // The case is one of the demo's.
      upload(target, 'trial-1', uploads, options),
      keepSets(cluster.origin, sets, { cases: DEMO_EXPRESSION.caseIds, ...options }),
      visit(cluster.origin, people, {
        provider: institution.provider,
        nodes: cluster.nodes.map(({ origin }) => origin),
        file: { path: `/data/${controlled}`, sum },
        ...options,
      }),
    ]
    const problems = () =>
      [reads, writes, uploads, edits, marks, sets, people].flatMap(({ wrong, lost }) => [
        wrong,
        lost,
      ])
    await faults(cluster, other, problems)
    over.abort()
    await Promise.all(traffic)
    process.stdout.write(
      `${reads.complete} complete answers (asked again ${reads.again}), ` +
        `${writes.kept.length} acknowledged commits (${writes.asked} asked for), ` +
        `${uploads.uploaded.length} uploads (asked again ${uploads.again}), ` +
        `${edits.kept.length} edits of the registry (asked again ${edits.again}), ` +
        `${marks.kept.length} edits of one table (${marks.conflicts} made again over another one, asked again ${marks.again}), ` +
        `${sets.kept.length} sets (asked again ${sets.again}), ` +
        `${people.logins} log-ins, ${people.revoked} revoked tokens, ${people.byJwt} files by a JWT (asked again ${people.again}), ` +
        `answers by release ${JSON.stringify(Object.fromEntries(reads.byRelease))}\n`,
    )
    expect(reads.wrong).toEqual([])
    expect(reads.lost).toEqual([])
    expect(writes.wrong, writes.wrong.join('\n')).toEqual([])
    expect(writes.lost).toEqual([])
    expect(uploads.lost).toEqual([])
    expect(uploads.uploaded.length).toBeGreaterThan(3)
    for (const { id, sum } of uploads.uploaded) {
      const headers = { 'X-Auth-Token': secrets.token }
      const { bytes } = await askOnce(cluster.origin, { path: `/data/${id}`, headers })
      expect(sumOf(bytes), id).toBe(sum)
    }
    expect(reads.complete).toBeGreaterThan(SECONDS)
    expect(edits.wrong).toEqual([])
    expect(edits.lost).toEqual([])
    expect(edits.kept.length).toBeGreaterThan(3)
    for (const id of edits.kept) {
      expect(await isRenamed(registry, id, PATIENCE_SECONDS, edits), id).toBe(true)
    }
    expect([marks.wrong, marks.lost]).toEqual([[], []])
    expect(marks.kept.length).toBeGreaterThan(3)
    // Each mark occurs once: none was overwritten, and no repeated write was applied twice.
    const marked = await marksIn(registry, TABLE, marks, PATIENCE_SECONDS)
    expect(marked.toSorted()).toEqual(marks.kept.toSorted())
    expect([sets.wrong, sets.lost]).toEqual([[], []])
    expect(sets.kept.length).toBeGreaterThan(3)
    for (const set of sets.kept) {
      expect(await difference(cluster.origin, set, PATIENCE_SECONDS, sets)).toBeUndefined()
    }
    expect([people.wrong, people.lost]).toEqual([[], []])
    expect(people.revoked).toBeGreaterThan(3)
    for (const id of [DEMO_RELEASE, other]) expect(reads.byRelease.get(id), id).toBeGreaterThan(0)
    const listed = await casesOf(target, 'w')
    expect(listed.toSorted()).toEqual(writes.kept.toSorted())
  })
})

/** Waits until a single server answers from the given release. */
async function untilServed(origin: string, id: string): Promise<void> {
  await eventually(async () => {
    const { headers } = await askOnce(origin, { path: '/projects?size=0' })
    expect(headers.get('x-casemill-release')).toBe(id)
  })
}

/**
 * Causes all kinds of faults in turn until the time is over, and repairs the last. Each line names one, with the
 * problems that clients had meanwhile.
 */
async function faults(
  cluster: Cluster,
  other: string,
  problems: () => readonly (readonly string[])[],
): Promise<void> {
  const [one, two, three] = cluster.nodes as readonly [Node, Node, Node]
  const ready = (...nodes: readonly Node[]) =>
    Promise.all(nodes.map(({ origin }) => cluster.untilReady(origin)))
  const end = performance.now() + SECONDS * 1000
  let [primary, standby] = [cluster.primary, cluster.standby]
  let skewSeconds = SKEW_SECONDS
  const restart = async (node: Node, options: { skewSeconds?: number } = {}) => {
    await cluster.start(node, options)
    await ready(node)
  }
  const kinds: readonly (readonly [string, () => Promise<void>])[] = [
    [
      'a node is killed',
      async () => {
        await cluster.end(one, 'SIGKILL')
        await sleep(3000)
        await cluster.start(one)
        await ready(one)
      },
    ],
    [
      'a node is stopped as it should be',
      async () => {
        await cluster.end(two, 'SIGTERM')
        await cluster.start(two)
        await ready(two)
      },
    ],
    [
      `all go to another release, ${cluster.disk ? 'of whom one has a full disk, ' : ''}and back`,
      async () => {
        cluster.disk?.leave(0)
        await casemill(cluster, 'release', 'switch', other)
        await ready(one, three)
        // With a full disk, the node cannot record which release is to be served.
        if (cluster.disk) await cluster.untilNotReady(two)
        cluster.disk?.clear()
        await ready(two)
        await casemill(cluster, 'release', 'switch', DEMO_RELEASE)
        await ready(one, two, three)
      },
    ],
    [
      'a node stands still',
      async () => {
        three.process?.kill('SIGSTOP')
        await sleep(8000)
        three.process?.kill('SIGCONT')
        await ready(three)
      },
    ],
    [
      `the link of a node is ${cluster.hasSlowLinks ? 'slow, then ' : ''}down`,
      async () => {
        if (cluster.hasSlowLinks) {
          cluster.slow(one.machine, 200)
          await sleep(2000)
        }
        cluster.cut(one.machine)
        await sleep(8000)
        cluster.join(one.machine)
        await ready(one)
      },
    ],
    [
      'the bucket is away',
      async () => {
        cluster.cut(cluster.bucket)
        await sleep(6000)
        cluster.join(cluster.bucket)
        await ready(one, two, three)
      },
    ],
    [
      'the primary is lost, the standby takes its place, and gets a standby',
      async () => {
        await cluster.database.lose(primary)
        await sleep(2000)
        await cluster.database.promote(standby)
        ;[primary, standby] = [standby, primary]
        await ready(one, two, three)
        await cluster.database.rejoin(standby, primary)
      },
    ],
    [
      'the standby is away',
      async () => {
        cluster.cut(standby)
        await sleep(6000)
        cluster.join(standby)
        await ready(one, two, three)
      },
    ],
    [
      'a clock is wrong by 5 minutes, and its node is killed',
      async () => {
        await cluster.end(two, 'SIGTERM')
        await restart(two, { skewSeconds })
        await sleep(5000)
        await cluster.end(two, 'SIGKILL')
        await restart(two)
        // Ahead and behind in turn.
        skewSeconds = -skewSeconds
      },
    ],
    [
      'a node is added and drained',
      async () => {
        await restart(cluster.spare)
        await cluster.balance([...cluster.nodes, cluster.spare])
        await sleep(4000)
        await cluster.end(cluster.spare, 'SIGTERM')
        await cluster.balance(cluster.nodes)
      },
    ],
    ...(cluster.hasSlowLinks
      ? [
          [
            'the bucket is slow',
            async () => {
              cluster.slow(cluster.bucket, 200)
              await sleep(6000)
              cluster.join(cluster.bucket)
              await ready(one, two, three)
            },
          ] as const,
        ]
      : []),
    [
      'a node comes back with an empty disk',
      async () => {
        await cluster.end(three, 'SIGKILL')
        await cluster.empty(three)
        await cluster.start(three)
        await ready(three)
      },
    ],
  ]
  let told: readonly number[] = []
  const once = async ([name, fault]: readonly [string, () => Promise<void>]) => {
    const started = performance.now()
    await fault()
    await sleep(1000)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    const lines = [`${name}: ${seconds} s`, ...problems().flatMap((list, i) => list.slice(told[i]))]
    told = problems().map(({ length }) => length)
    process.stdout.write(`${lines.join('\n  ')}\n`)
  }
  for (const kind of kinds) await once(kind)
  for (let i = 0; performance.now() < end; i++) {
    const next = kinds[i % kinds.length]
    if (next) await once(next)
  }
}
