import { fillAbsent, type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'
import { accessOf, dataFormatOf, fileTypeOf } from './file-rules.ts'

interface FileContext {
  readonly projectOf: (caseId: string) => string | undefined
  /** Number of the release that is being built, such as `32.0`. */
  readonly release: string
  readonly lastRelease: string | undefined
  /** Number of earlier versions of this file. */
  readonly earlierVersions: number
}

/**
 * Fills in members of a file that its sources left out (data notes on access and format; data-commons.md
 * 3.2).
 */
export function finishFile(file: JsonObject, context: FileContext): void {
  const name = textIn(file.file_name) ?? ''
  fillAbsent(file, 'data_format', dataFormatOf(name))
  fillAbsent(file, 'type', fileTypeOf(textIn(file.data_type)))
  file.access ??= accessOf(file)
  fillAbsent(file, 'state', 'released')
  fillAbsent(file, 'version', String(context.earlierVersions + 1))
  file.data_release = releasesOf(textIn(file.data_release), context)
  fillAcl(file, context)
}

/**
 * Returns the members that finishing adds to a file without cases and earlier versions, or undefined if it may
 * change others.
 */
export function addedToFile(file: JsonObject, release: string): JsonObject | undefined {
  if (Object.hasOwn(file, 'cases') || Object.hasOwn(file, 'data_release')) return undefined
  // JSON text leaves out undefined members, so the stored text does not have them.
  if (Object.values(file).includes(undefined)) return undefined
  const finished = { ...file }
  finishFile(finished, {
    projectOf: () => undefined,
    release,
    lastRelease: undefined,
    earlierVersions: 0,
  })
  const added: JsonObject = {}
  for (const name of Object.keys(finished)) {
    if (!Object.hasOwn(file, name)) added[name] = finished[name]
    else if (finished[name] !== file[name]) return undefined
  }
  return Object.keys(file).every((name) => Object.hasOwn(finished, name)) ? added : undefined
}

/** Returns the first and last release that contain the file, such as `32.0 - 37.0`. */
function releasesOf(given: string | undefined, { release, lastRelease }: FileContext): string {
  if (given === undefined) return release
  const [first = '', last = first] = given.split(' - ')
  return last === lastRelease && first !== release ? `${first} - ${release}` : given
}

function fillAcl(file: JsonObject, { projectOf }: FileContext): void {
  const projects = objectsIn(file.cases).flatMap((each) => projectOf(String(each.case_id)) ?? [])
  const named = [...new Set(projects)]
  // Membership of any listed project grants access. With several projects all would be required, so no list
  // is made.
  const ours = file.access === 'open' ? ['open'] : named.length === 1 ? named : []
  const given = Array.isArray(file.acl) ? file.acl.map(String) : []
  // An earlier import may have derived the list from the file's former access level. It then does not come from
  // a source.
  const isFilledIn =
    file.access === 'open' ? given.every((each) => projects.includes(each)) : isOpenList(given)
  if (given.length > 0 && !isFilledIn) return
  if (ours.length > 0) file.acl = ours
  else if (isOpenList(given)) delete file.acl
}

const isOpenList = (acl: readonly string[]) => acl.length === 1 && acl[0] === 'open'
