import { EngineError } from '../../../shared/errors.ts'
import type { DatasetFacts, Hdf5File } from './hdf5-file.ts'

/** Where the values of an annotation are stored: in a plain list, or in an encoding of anndata. */
type AnnotationColumn =
  | { readonly form: 'list'; readonly path: string; readonly kind: DatasetFacts['kind'] }
  /** Categories, and the index of each cell's category. A negative index means a missing value. */
  | { readonly form: 'categories'; readonly path: string; readonly kind: DatasetFacts['kind'] }
  /** A list of numbers or booleans, and a mask that marks missing values. */
  | { readonly form: 'masked'; readonly path: string; readonly kind: DatasetFacts['kind'] }

/** Encodings of anndata (anndata.readthedocs.io, "On-disk format"), and the datasets of each. */
const ENCODINGS = {
  categorical: { form: 'categories', each: 'codes', values: 'categories' },
  'nullable-integer': { form: 'masked', each: 'mask', values: 'values' },
  'nullable-boolean': { form: 'masked', each: 'mask', values: 'values' },
} as const

/** Returns the annotation at a path. Undefined if it does not have one text, number or boolean per cell. */
export function columnAt(
  file: Hdf5File,
  path: string,
  cells: number,
): AnnotationColumn | undefined {
  const kind = file.kindOf(path)
  if (kind === 'dataset') {
    const facts = listAt(file, path)
    return facts?.shape[0] === cells ? { form: 'list', path, kind: facts.kind } : undefined
  }
  const encoding = kind === 'group' ? file.textAttribute(path, 'encoding-type') : undefined
  if (encoding === undefined || !Object.hasOwn(ENCODINGS, encoding)) return undefined
  const { form, each, values } = ENCODINGS[encoding as keyof typeof ENCODINGS]
  const [ofCells, ofValues] = [listAt(file, `${path}/${each}`), listAt(file, `${path}/${values}`)]
  const isWhole = form === 'categories' || ofValues?.shape[0] === cells
  if (ofCells?.shape[0] !== cells || ofCells.kind === 'text' || !ofValues || !isWhole)
    return undefined
  return { form, path, kind: ofValues.kind }
}

/** Returns the type and shape of a list, or undefined if the path is not a readable list. */
function listAt(file: Hdf5File, path: string): DatasetFacts | undefined {
  if (file.kindOf(path) !== 'dataset') return undefined
  try {
    const facts = file.factsOf(path)
    return facts.shape.length === 1 ? facts : undefined
  } catch (error) {
    if (error instanceof EngineError && error.code === 'corrupt_source') return undefined
    throw error
  }
}

type Span = readonly [start: number, end: number]

/**
 * Yields the values of a range of cells as text. A missing value is the empty string.
 * @throws EngineError corrupt_source if the HDF5 file is damaged
 */
export function* valuesIn(
  file: Hdf5File,
  { form, path, kind }: AnnotationColumn,
  span: Span,
): Generator<string> {
  if (form === 'list') yield* textsAt(file, path, kind, span)
  else if (form === 'masked') {
    const texts = textsAt(file, `${path}/values`, kind, span)
    const mask = file.numbers(`${path}/mask`, [span])
    for (const [i, text] of texts.entries()) yield mask[i] === 0 ? text : ''
  } else {
    // The text of a category is read only when a cell has the category, since there can be as many categories as
    // cells.
    const known = new Map<number, string>([[-1, '']])
    for (const code of file.numbers(`${path}/codes`, [span])) {
      const text = known.get(code) ?? categoryOf(file, { path, kind }, code)
      known.set(code, text)
      yield text
    }
  }
}

function categoryOf(
  file: Hdf5File,
  { path, kind }: Pick<AnnotationColumn, 'path' | 'kind'>,
  code: number,
): string {
  const list = `${path}/categories`
  const [count = 0] = file.factsOf(list).shape
  const [text] = code >= 0 && code < count ? textsAt(file, list, kind, [code, code + 1]) : []
  if (text !== undefined) return text
  const message = `"${path}/codes" names category ${code} of ${count}`
  throw new EngineError('corrupt_source', `the HDF5 file cannot be used: ${message}`)
}

function textsAt(
  file: Hdf5File,
  path: string,
  kind: DatasetFacts['kind'],
  span: Span,
): readonly string[] {
  if (kind === 'text') return file.texts(path, span)
  const text = kind === 'truth' ? (value: number) => (value === 0 ? 'False' : 'True') : String
  return Array.from(file.numbers(path, [span]), (value) => text(value))
}
