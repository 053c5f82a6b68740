import { Command, Option } from 'commander'
import type { CommonsCheck } from '../../engine/commons/index.ts'
import type { Engine } from '../../engine/index.ts'
import type { Issue } from '../../engine/shared/index.ts'
import { checkBucket } from '../../engine/shared/internal.ts'
import { checkBucketCors } from '../bucket-cors.ts'
import { withEngine } from '../data-engine.ts'
import { IssuesFound } from '../frame.ts'
import { limitHeaps } from '../heaps.ts'
import { startProgress } from '../progress.ts'
import { readBucket, readPresigns } from '../stored-settings.ts'
import type { Terminal } from '../terminal.ts'

interface Options {
  readonly deep?: boolean
  readonly origin: string
  /** True if the option has no value. */
  readonly bucket?: string | true
}

/** Command `casemill check`. */
export function checkCommand(terminal: Terminal): Command {
  return new Command('check')
    .description(
      'verify the data folder; prints a line per finding or note; exit status 1 if anything is wrong',
    )
    .option(
      '--deep',
      'read all stored files: verify their MD5, and parse their records with two readers',
    )
    .option(
      '--origin <origin>',
      'with CASEMILL_PRESIGN: origin of web pages that must be able to read from the bucket, to check its CORS rules',
      'https://example.org',
    )
    .addOption(
      new Option(
        '--bucket [url]',
        'instead of the data folder, try what casemill needs of object storage, under a prefix of its own in a bucket: s3://BUCKET/PREFIX or https://HOST/BUCKET/PREFIX; by default the bucket of the settings',
      ).conflicts('deep'),
    )
    .action(async ({ deep: isDeep = false, origin, bucket }: Options, command: Command) => {
      if (bucket !== undefined) return await tryBucket(terminal, bucket)
      limitHeaps()
      const found = await withEngine(command, { create: false }, async (engine) => {
        const { files, bytes } = await engine.shared.files.totals()
        const releases = await engine.commons.releases.list().catch(() => [])
        const progress = startProgress(terminal, 'checking', isDeep ? bytes : 0)
        let issues = 0
        let notes = 0
        try {
          const run = { isDeep, signal: terminal.signal, onProgress: progress.advance }
          for await (const { subject, problem, isNote } of checkAll(engine, origin, run)) {
            if (isNote) notes++
            else issues++
            await terminal.write(`${subject}\t${problem}\n`)
          }
        } finally {
          progress.stop()
        }
        const checked = `${counted(files, 'file')} (${(bytes / 1e6).toFixed(1)} MB), ${counted(releases.length, 'release')}`
        const found = issues === 0 ? 'nothing is wrong' : counted(issues, 'finding')
        const noted = notes === 0 ? '' : `, ${counted(notes, 'note')}`
        terminal.explain(`checked ${checked}: ${found}${noted}`)
        return issues
      })
      if (found > 0) throw new IssuesFound(`${found} findings`)
    })
}

/** Prints a line per need: whether it holds, its name, what the storage has to do, and for what or what is wrong. */
async function tryBucket(terminal: Terminal, given: string | true): Promise<void> {
  const options = readBucket(given === true ? undefined : given)
  const counts = { holds: 0, note: 0, fails: 0 }
  for await (const { result, name, what, usedFor, problem } of checkBucket(
    options,
    terminal.signal,
  )) {
    counts[result]++
    const found = problem === undefined ? '' : `${problem}; `
    await terminal.write(`${result}\t${name}\t${what}\t${found}needed for ${usedFor}\n`)
  }
  const { holds, note, fails } = counts
  const tried = counted(holds + note + fails, 'need')
  const noted = note === 0 ? '' : `, casemill does without ${note}`
  terminal.explain(
    `tried ${tried} in bucket ${JSON.stringify(options.bucket)} and removed everything: ${holds} hold${noted}, ${fails} fail`,
  )
  if (fails > 0) throw new IssuesFound(`${fails} needs fail`)
}

async function* checkAll(engine: Engine, origin: string, run: Run): AsyncGenerator<Issue> {
  yield* engine.check(run)
  const { objects } = engine.shared
  if (objects && readPresigns()) yield* checkBucketCors(objects, { origin, signal: run.signal })
}

type Run = CommonsCheck & { readonly signal: AbortSignal }

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
