import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { unlessAbsent } from '../engine/shared/unless-absent.ts'
import { makeKernels } from '../workers/kernels.ts'
import { access } from './access.ts'
import type { Bench } from './bench.ts'
import { commands } from './commands.ts'
import { analysis } from './commons/analysis.ts'
import { audit } from './commons/audit.ts'
import { download } from './commons/download.ts'
import { graphql } from './commons/graphql.ts'
import { importTables } from './commons/import.ts'
import { search } from './commons/search.ts'
import { slicing } from './commons/slicing.ts'
import { tickets } from './commons/tickets.ts'
import { variants } from './commons/variants.ts'
import { explorer } from './explorer.ts'
import { type MachineFacts, machineFacts, toolVersions } from './machine.ts'
import { nodes } from './nodes.ts'
import {
  type BenchResult,
  loadOf,
  mergedResult,
  NotKept,
  objectionsTo,
  QUIET_LOAD,
  recordName,
  recordOf,
} from './record.ts'
import { mph } from './registry/mph.ts'
import { recordSearch } from './registry/record-search.ts'
import { registryFiles } from './registry/registry-files.ts'
import { staging } from './registry/staging.ts'
import { tableOf } from './report.ts'
import { scale } from './scale.ts'
import { submission } from './submission/submission.ts'

// A new bench is one file here and one line in this table.
const BENCHES: Readonly<Record<string, Bench>> = {
  slicing,
  tickets,
  audit,
  variants,
  search,
  graphql,
  download,
  analysis,
  staging,
  mph,
  submission,
  scale,
  nodes,
  commands,
  explorer,
  access,
  import: importTables,
  'record-search': recordSearch,
  'registry-files': registryFiles,
}

const USAGE = `usage: npm run bench -- NAME [--quick] [--rounds N] [--only WORKLOAD,...]
           [--former CHECKOUT] [--json FILE | --record]

  NAME      ${Object.keys(BENCHES).join(', ')}
  --quick   a small input and few rounds: shows that all works; its figures mean little
  --rounds  rounds of every workload
  --only    ${Object.entries(BENCHES)
    .map(([name, { workloads }]) => `${name}: ${workloads.join(', ')}`)
    .join('\n            ')}
  --former  import: checkout of a former build, with its packages, that is measured beside this one
  --json    where the samples go (left out: bench/results/NAME-DATE.local.json, which git ignores)
  --record  keeps them in bench/results/ besides, with the machine, to be committed: of the full input, on
            a quiet machine, of sources as they were committed; waits ten minutes for quiet
`

class UsageError extends Error {}

interface Request {
  readonly name: string
  readonly bench: Bench
  readonly quick: boolean
  readonly rounds: number | undefined
  readonly only: ReadonlySet<string> | undefined
  readonly former: string | undefined
  readonly json: string | undefined
  readonly record: boolean
}

function readRequest(words: readonly string[]): Request {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      only: { type: 'string' },
      former: { type: 'string' },
      json: { type: 'string' },
      record: { type: 'boolean', default: false },
    },
  })
  const [name = '', ...more] = positionals
  const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined
  if (!bench || more.length > 0) throw new UsageError('give the name of one bench')
  if (values.rounds !== undefined && !/^[1-9]\d{0,3}$/.test(values.rounds)) {
    throw new UsageError(`--rounds is "${values.rounds}"; give 1 to 9999`)
  }
  const only = values.only?.split(',')
  const unknown = only?.find((workload) => !bench.workloads.includes(workload))
  if (unknown !== undefined) {
    throw new UsageError(`"${unknown}" is no workload; give ${bench.workloads.join(', ')}`)
  }
  if (values.record && (values.quick || values.json !== undefined)) {
    throw new UsageError('--record is of the full input; leave out --quick and --json')
  }
  return {
    name,
    bench,
    quick: values.quick,
    rounds: values.rounds === undefined ? undefined : Number(values.rounds),
    only: only && new Set(only),
    former: values.former,
    json: values.json,
    record: values.record,
  }
}

async function main({ name, bench, only, json, record, ...asked }: Request): Promise<void> {
  const started = new Date()
  const note = (text: string) => {
    const seconds = (Date.now() - started.getTime()) / 1000
    console.error(`${seconds.toFixed(0).padStart(4)} s  ${text}`)
  }
  await makeKernels()
  const machine = record ? await quietMachine(note) : machineFacts()
  const versions = toolVersions()
  const objections = record ? objectionsTo({ machine, versions }) : []
  if (objections.length > 0) throw new NotKept(objections)
  const {
    input,
    contests,
    findings: told,
  } = await bench.run({
    ...asked,
    note,
    chosen: (workload) => only?.has(workload) ?? true,
  })
  const load = loadOf(machine)
  const findings = [...told]
  if (load > QUIET_LOAD)
    findings.push(`the machine was busy before the start: load ${load.toFixed(1)} per processor`)
  const rows = contests.flatMap((contest) => contest.rows)
  console.log(tableOf(rows))
  for (const finding of findings) console.log(`note: ${finding}`)

  const day = started.toISOString().slice(0, 10)
  const folder = join(import.meta.dirname, 'results')
  const path = json ?? join(folder, `${name}${asked.quick ? '-quick' : ''}-${day}.local.json`)
  const seconds = (Date.now() - started.getTime()) / 1000
  const result: BenchResult & Readonly<Record<string, unknown>> = {
    bench: name,
    started,
    seconds,
    quick: asked.quick,
    machine,
    versions,
    input,
    findings,
    contests,
  }
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `${JSON.stringify(result, undefined, 2)}\n`)
  console.log(`${Math.round(seconds)} s; all samples are in ${path}`)
  if (!record) return
  const kept = join(folder, recordName(result))
  const before = await unlessAbsent(readFile(kept, 'utf8'))
  const merged = before === undefined ? result : mergedResult(JSON.parse(before), result)
  await writeFile(kept, recordOf(merged))
  console.log(`to be committed: ${kept}`)
}

const MAX_WAIT_MILLISECONDS = 600_000

/** The machine as soon as nothing else runs on it, or as it is after ten minutes. */
async function quietMachine(note: (text: string) => void): Promise<MachineFacts> {
  const end = Date.now() + MAX_WAIT_MILLISECONDS
  for (;;) {
    const machine = machineFacts()
    if (loadOf(machine) <= QUIET_LOAD || Date.now() > end) return machine
    note(`the load is ${loadOf(machine).toFixed(2)} per processor; waiting`)
    await setTimeout(15_000)
  }
}

function isUsageError(error: unknown): error is Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return error instanceof UsageError || code.startsWith('ERR_PARSE_ARGS')
}

try {
  await main(readRequest(process.argv.slice(2)))
} catch (error) {
  if (!isUsageError(error) && !(error instanceof NotKept)) throw error
  console.error(error instanceof NotKept ? error.message : `${error.message}\n\n${USAGE}`)
  process.exitCode = error instanceof NotKept ? 1 : 2
}
