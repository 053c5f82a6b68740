import type { DatasetName, LinkMount } from '../datasets/define.ts'
import { datasetOf } from '../datasets/index.ts'
import { arraysOf } from '../release/arrays.ts'
import { columnKey, levelKey, linkKey } from '../release/layout.ts'
import type { ArrayKey, Level, Link } from '../release/loaded.ts'
import type { Release } from '../release/release.ts'

/** The link from the records of a dataset to their projects. */
interface ProjectPath {
  /** Field path of the link to a project, or to a case that has a project. */
  readonly at: string
  readonly through: 'projects' | 'cases'
  /** Whether a record may have several projects. */
  readonly isList: boolean
}

/**
 * Returns the path from a dataset's records to projects. Returns undefined for projects themselves and for
 * datasets without a project.
 */
export function projectPathOf(name: DatasetName): ProjectPath | undefined {
  const { mounts, nested } = datasetOf(name)
  const links = mounts.filter((mount): mount is LinkMount => mount.kind === 'link')
  for (const through of ['projects', 'cases'] as const) {
    const link = links.find(({ dataset }) => dataset === through)
    if (link) return { at: link.at, through, isList: nested.includes(link.at) }
  }
  return undefined
}

/** The rows of a dataset that belong to one project. */
interface ProjectRows {
  /** Project id, or null for rows of no project or of several. */
  readonly project: string | null
  /** Row numbers, ascending. */
  readonly rows: Uint32Array
}

/** The projects of all rows of a dataset. */
export interface RowProjects {
  /** Rows by project, in ascending order of project ids, with null last. Each row is in exactly one part. */
  readonly parts: readonly ProjectRows[]
  /** Returns the distinct project ids of a row, ascending. */
  idsOf(row: number): readonly string[]
}

/** Looks up the projects of all rows of a dataset in the release's links. */
export async function projectsOfRows(
  name: DatasetName,
  path: ProjectPath,
  release: Release,
): Promise<RowProjects> {
  const keys: ArrayKey[] = [columnKey('projects', 'project_id'), linkKey(name, path.at)]
  if (path.isList) keys.push(levelKey(name, path.at))
  if (path.through === 'cases') keys.push(linkKey('cases', 'project'))
  const arrays = arraysOf(await release.load(keys))
  const dictionary = arrays.column('projects', 'project_id')?.dictionary
  const link = arrays.link(name, path.at)
  const level = path.isList ? arrays.level(name, path.at) : undefined
  const ofCases = path.through === 'cases' ? arrays.link('cases', 'project') : undefined
  const onward = (target: number) => {
    if (path.through === 'projects' || target === 0) return target
    return ofCases?.targets[target - 1] ?? 0
  }
  const found = (row: number) => distinctTargets(row, { link, level, isList: path.isList, onward })
  // Dictionary codes ascend with the ids.
  const textOf = (code: number) => dictionary?.text(code) ?? ''
  return {
    parts: partsOf(arrays.rows(name), arrays.rows('projects'), found, textOf),
    idsOf: (row) => found(row).map(textOf),
  }
}

interface Targets {
  readonly link: Link | undefined
  readonly level: Level | undefined
  readonly isList: boolean
  readonly onward: (target: number) => number
}

/** Returns the distinct projects of a row in ascending order, each as its row number plus one. */
function distinctTargets(row: number, { link, level, isList, onward }: Targets): number[] {
  if (!link || (isList && !level)) return []
  const start = level ? (level.offsets[row] ?? 0) : row
  const end = level ? (level.offsets[row + 1] ?? 0) : row + 1
  const found = new Set<number>()
  for (let element = start; element < end; element++) {
    const target = onward(link.targets[element] ?? 0)
    if (target > 0) found.add(target)
  }
  return [...found].sort((a, b) => a - b)
}

function partsOf(
  rows: number,
  projects: number,
  found: (row: number) => readonly number[],
  textOf: (code: number) => string,
): ProjectRows[] {
  // A counting sort by project. The last bucket is for rows of no project or of several.
  const part = new Uint32Array(rows)
  const starts = new Uint32Array(projects + 2)
  for (let row = 0; row < rows; row++) {
    const targets = found(row)
    const place = targets.length === 1 ? targets[0]! - 1 : projects
    part[row] = place
    starts[place + 1]!++
  }
  for (let place = 1; place < starts.length; place++) starts[place]! += starts[place - 1]!
  const sorted = new Uint32Array(rows)
  const next = starts.slice()
  for (let row = 0; row < rows; row++) sorted[next[part[row]!]!++] = row
  return Array.from({ length: projects + 1 }, (_, place) => ({
    project: place === projects ? null : textOf(place + 1),
    rows: sorted.subarray(starts[place], starts[place + 1]),
  })).filter((one) => one.rows.length > 0)
}
