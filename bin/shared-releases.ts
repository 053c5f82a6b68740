import { mkdir } from 'node:fs/promises'
import type { Command } from 'commander'
import type {
  Distribution,
  MakeCurrent,
  PublishedRelease,
  SeenNode,
  SwitchedRelease,
} from '../engine/commons/index.ts'
import { openDistribution } from '../engine/internal.ts'
import { EngineError } from '../engine/shared/index.ts'
import { dataFolder } from './data-folder.ts'
import { drawSteps } from './steps.ts'
import { readStoredSettings } from './stored-settings.ts'
import type { Terminal } from './terminal.ts'

/** Options of a command that creates the next release. */
interface MakingOptions {
  readonly dryRun?: boolean | undefined
  /** False leaves the current release unchanged. */
  readonly switch?: boolean | undefined
}

/** Steps after creating a release if nodes share releases. */
interface Making {
  readonly makeCurrent?: MakeCurrent
}

/** Opens the distribution of releases among nodes and passes it to `use`. Passes undefined for a single node. */
async function withDistribution<Result>(
  command: Command,
  use: (distribution: Distribution | undefined) => Promise<Result>,
): Promise<Result> {
  const folder = dataFolder(command)
  const opened = openDistribution({ dataFolder: folder, ...readStoredSettings() })
  if (opened) await mkdir(folder, { recursive: true })
  try {
    return await use(opened?.distribution)
  } finally {
    await opened?.close()
  }
}

/**
 * Does the same as withDistribution for commands that require a distribution.
 * @throws EngineError `bad_input` if there is none
 */
export function withNodes<Result>(
  command: Command,
  use: (distribution: Distribution) => Promise<Result>,
): Promise<Result> {
  return withDistribution(command, (distribution) => {
    if (distribution) return use(distribution)
    const message =
      'releases are not shared with other nodes; set CASEMILL_STATE_URL and CASEMILL_S3_BUCKET'
    throw new EngineError('bad_input', message)
  })
}

/** Creates the next release with `make`. A shared one is based on the served release, published and switched to. */
export function makeShared<Result>(
  terminal: Terminal,
  command: Command,
  options: MakingOptions,
  make: (making: Making) => Promise<Result>,
): Promise<Result> {
  return withDistribution(command, async (distribution) =>
    make(distribution ? await makingFor(terminal, distribution, options) : {}),
  )
}

/** Downloads the release that the nodes serve, and returns a function that publishes the new one. */
export async function makingFor(
  terminal: Terminal,
  distribution: Distribution,
  { dryRun = false, switch: isSwitched = true }: MakingOptions,
): Promise<Making> {
  if (dryRun) return {}
  const from = await distribution.bringCurrent(terminal.signal, (id) =>
    terminal.explain(`waiting until the server of this folder serves release ${id}`),
  )
  return {
    makeCurrent: async (id) => {
      await publishRelease(terminal, distribution, id)
      if (!isSwitched) {
        terminal.explain(
          `release ${id} is offered; to serve it on all nodes, run casemill release switch ${id}`,
        )
        return false
      }
      await switchRelease(terminal, distribution, id, { from })
      await distribution.name(id)
      return true
    },
  }
}

/** Publishes a release with progress bars. Prints what was sent. */
export async function publishRelease(
  terminal: Terminal,
  distribution: Distribution,
  id: string,
  isAnew = false,
): Promise<PublishedRelease> {
  const bars = drawSteps(terminal)
  try {
    const { signal } = terminal
    const published = await distribution.publish(id, { isAnew, signal, onProgress: bars.show })
    const { bytes, files, sentBytes, sentFiles, removed } = published
    bars.stop()
    terminal.explain(
      `release ${id} is offered: ${files} files of ${inMegabytes(bytes)}, of which ${sentFiles} of ${inMegabytes(sentBytes)} were sent`,
    )
    if (removed > 0) terminal.explain(`${removed} objects that no release uses were deleted`)
    return published
  } finally {
    bars.stop()
  }
}

/** Switches to a release. Prints which nodes it waits for and which were late. */
export async function switchRelease(
  terminal: Terminal,
  distribution: Distribution,
  id: string,
  options: { readonly waitSeconds?: number; readonly from?: string | undefined },
): Promise<SwitchedRelease> {
  let lastLine = ''
  const onWait = (late: readonly SeenNode[], nodes: number) => {
    const line = `waiting for ${late.length} of ${nodes} nodes: ${late.map(nodeLine).join('; ')}`
    if (line !== lastLine) terminal.explain(line)
    lastLine = line
  }
  const switched = await distribution.switchTo(id, { ...options, signal: terminal.signal, onWait })
  for (const node of switched.late) terminal.explain(`not ready: ${nodeLine(node)}`)
  return switched
}

const nodeLine = ({ node, problem }: SeenNode) =>
  problem === undefined ? node : `${node} (${problem})`

export const inMegabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
