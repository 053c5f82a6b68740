import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bench, BenchOptions, BenchOutcome, Contest, ContestOutcome } from './bench.ts'
import { importBamContest } from './commands/import-bam.ts'
import { md5Of, type Stage } from './commands/stage.ts'
import { firstStartContest, laterStartContest } from './commands/start.ts'
import { versionContest } from './commands/version.ts'
import { prepareBam } from './commons/slicing/input.ts'
import { DATA_FOLDER } from './data-folder.ts'
import { Parts } from './parts.ts'
import { holdContest } from './rounds.ts'
import { runTool } from './tools.ts'

const CONTESTS: Readonly<Record<string, (stage: Stage) => Contest>> = {
  version: versionContest,
  'first-start': firstStartContest,
  'later-start': laterStartContest,
  'import-bam': importBamContest,
}

/** Commands as a user calls them, each in a process of its own. */
export const commands: Bench = { workloads: Object.keys(CONTESTS), run: runCommands }

async function runCommands({ quick, rounds, chosen, note }: BenchOptions): Promise<BenchOutcome> {
  const folder = join(DATA_FOLDER, 'commands')
  const scratch = join(folder, 'scratch')
  // An interrupted run leaves its own behind.
  await rm(scratch, { recursive: true, force: true })
  await mkdir(scratch, { recursive: true })
  try {
    const path = await prepareBam(quick ? 'quick' : 'full', note)
    const bam = { path, bytes: (await stat(path)).size, md5: await md5Of(path) }
    const usually = (usual: number) => rounds ?? (quick ? Math.ceil(usual / 5) : usual)
    const stage: Stage = { packed: await packed(folder, note), bam, scratch, rounds: usually }
    const contests: ContestOutcome[] = []
    for (const [workload, plan] of Object.entries(CONTESTS)) {
      if (!chosen(workload)) continue
      const contest = plan(stage)
      // Once before the clock starts, so that all is in the system's cache, and the demo is there.
      for (const { turn } of contest.contenders) await turn()
      contests.push(await holdContest(contest, note))
    }
    return { input: { bam: bam.md5 }, contests, findings: [] }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** The entry of the package, compiled. It asks for the rest of the program only when it needs it. */
async function packed(folder: string, note: (text: string) => void): Promise<string> {
  const root = join(import.meta.dirname, '..')
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const parts = new Parts(folder, note)
  const { path } = await parts.part({
    what: 'packed',
    before: '',
    sources: ['bin/casemill.ts', 'package.json'],
    make: async (outDir) => {
      const words = [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', outDir]
      await runTool(process.execPath, words)
    },
  })
  return join(path, 'bin', 'casemill.js')
}
