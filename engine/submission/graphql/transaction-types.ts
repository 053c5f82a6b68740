import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  GraphQLID,
  GraphQLInt,
  GraphQLList,
  GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLString,
} from 'graphql'
import type { Arguments } from './conditions.ts'
import type { NodeRow, StoredRow } from './node-row.ts'
import type { Reading } from './reading.ts'
import { requestedFields } from './requested-fields.ts'
import {
  countTransactions,
  isCommittable,
  listTransactions,
  partsOf,
  type TransactionRow,
  transactionCountOf,
  transactionsOf,
  typeOfRole,
} from './transaction-rows.ts'

/** JSON object that the server itself has stored. */
type JsonObject = Readonly<Record<string, unknown>>

const TEXTS = new GraphQLList(GraphQLString)

/** Returns fields that show members of a JSON object as text. */
function memberFields(...names: readonly string[]) {
  const field = { type: GraphQLString, resolve: textIn }
  return Object.fromEntries(names.map((name) => [name, field]))
}

function textIn(source: JsonObject, _: unknown, __: unknown, { fieldName }: GraphQLResolveInfo) {
  const value = source[fieldName]
  if (value === undefined || value === null) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const count: GraphQLFieldConfig<JsonObject, Reading> = {
  type: GraphQLInt,
  resolve(source, _, __, { fieldName }) {
    const value = source[fieldName]
    return typeof value === 'number' ? value : null
  },
}

const listed = (type: GraphQLObjectType): GraphQLFieldConfig<JsonObject, Reading> => ({
  type: new GraphQLList(type),
  resolve: (source, _, __, { fieldName }) => listIn(source, fieldName),
})

function listIn(source: JsonObject, name: string): readonly JsonObject[] {
  const value = source[name]
  return Array.isArray(value) ? value : []
}

/** Creates the types of the transaction log (submission.md 15.2), and the fields that return them. */
export function transactionTypes() {
  const related = new GraphQLObjectType({
    name: 'TransactionResponseEntityRelatedCases',
    fields: memberFields('id', 'submitter_id'),
  })
  const response = responseType(related)
  const document = documentType(response)
  const snapshot = snapshotType()
  const log = new GraphQLObjectType<TransactionRow, Reading>({
    name: 'TransactionLog',
    description: 'A transaction: the request, and its result.',
    fields: { ...logFields(), ...partFields({ related, document, snapshot }) },
  })
  return fieldsOf(log)
}

function responseType(related: GraphQLObjectType): GraphQLObjectType {
  const dependent = new GraphQLObjectType({
    name: 'TransactionResponseDependent',
    fields: memberFields('id', 'type'),
  })
  const error = new GraphQLObjectType({
    name: 'TransactionResponseError',
    fields: {
      ...memberFields('type', 'message'),
      keys: { type: TEXTS, resolve: ({ keys }: JsonObject) => (Array.isArray(keys) ? keys : []) },
      dependents: listed(dependent),
    },
  })
  const entity = new GraphQLObjectType({
    name: 'TransactionResponseEntity',
    fields: {
      valid: { type: GraphQLBoolean },
      ...memberFields('action', 'type', 'id', 'unique_keys', 'warnings'),
      related_cases: listed(related),
      errors: listed(error),
    },
  })
  const counts = [
    ...['code', 'entity_error_count', 'transactional_error_count', 'created_entity_count'],
    ...['updated_entity_count', 'deleted_entity_count', 'submitted_entity_count'],
    'released_entity_count',
    'cases_related_to_created_entities_count',
    'cases_related_to_updated_entities_count',
  ]
  return new GraphQLObjectType({
    name: 'TransactionResponse',
    fields: {
      transaction_id: { type: GraphQLID },
      success: { type: GraphQLBoolean },
      message: { type: GraphQLString },
      ...Object.fromEntries(counts.map((name) => [name, count])),
      transactional_errors: {
        type: TEXTS,
        resolve: (source: JsonObject) =>
          listIn(source, 'transactional_errors').map(({ message }) => String(message)),
      },
      entities: listed(entity),
    },
  })
}

const column = (type: GraphQLFieldConfig<StoredRow, Reading>['type'], name: string) => ({
  type,
  resolve: (row: StoredRow) => row[name],
})

function documentType(response: GraphQLObjectType): GraphQLObjectType<StoredRow, Reading> {
  return new GraphQLObjectType<StoredRow, Reading>({
    name: 'TransactionDocument',
    fields: {
      id: {
        type: GraphQLID,
        resolve: ({ transaction_id, position }) => `${transaction_id}.${position}`,
      },
      transaction_id: column(GraphQLID, 'transaction_id'),
      name: column(GraphQLString, 'name'),
      doc_format: column(GraphQLString, 'format'),
      doc: column(GraphQLString, 'document'),
      doc_size: column(GraphQLInt, 'size'),
      response_json: column(GraphQLString, 'response_json'),
      response: { type: response, resolve: answerIn },
    },
  })
}

function snapshotType(): GraphQLObjectType<StoredRow, Reading> {
  return new GraphQLObjectType<StoredRow, Reading>({
    name: 'TransactionSnapshot',
    fields: {
      id: column(GraphQLID, 'entity_id'),
      transaction_id: column(GraphQLID, 'transaction_id'),
      action: column(GraphQLString, 'action'),
      old_props: column(GraphQLString, 'old_props'),
      new_props: column(GraphQLString, 'new_props'),
    },
  })
}

/** Returns the response of a transaction, or null while it is running. */
function answerIn({ response_json: text }: StoredRow): JsonObject | null {
  return typeof text === 'string' ? (JSON.parse(text) as JsonObject) : null
}

function logFields(): GraphQLFieldConfigMap<TransactionRow, Reading> {
  const texts = ['state', 'submitter', 'role', 'program', 'project', 'project_id', 'canonical_json']
  return {
    id: { type: GraphQLID, resolve: ({ id }) => String(id) },
    committed_by: { type: GraphQLID, resolve: ({ columns }) => columns.committed_by },
    quick_search: { type: GraphQLID, resolve: () => null },
    is_dry_run: { type: GraphQLBoolean, resolve: ({ columns }) => columns.is_dry_run === 1 },
    closed: { type: GraphQLBoolean, resolve: ({ columns }) => columns.closed === 1 },
    committable: { type: GraphQLBoolean, resolve: isCommittable },
    type: { type: GraphQLString, resolve: ({ columns }) => typeOfRole(columns.role) },
    created_datetime: { type: GraphQLString, resolve: ({ columns }) => columns.created_at },
    ...Object.fromEntries(
      texts.map((name) => [
        name,
        { type: GraphQLString, resolve: ({ columns }: TransactionRow) => columns[name] },
      ]),
    ),
  }
}

const DOCUMENTS = 'submission_documents'
const SNAPSHOTS = 'submission_snapshots'

function partFields(types: {
  readonly related: GraphQLObjectType
  readonly document: GraphQLObjectType
  readonly snapshot: GraphQLObjectType
}): GraphQLFieldConfigMap<TransactionRow, Reading> {
  return {
    related_cases: {
      type: new GraphQLList(types.related),
      async resolve(row, _, reading, info) {
        const part = { table: DOCUMENTS, columns: 'p.response_json', values: 1 }
        return relatedCases(await partsOf(row, reading, info, part))
      },
    },
    documents: {
      type: new GraphQLList(types.document),
      resolve(row, _, reading, info) {
        const names = requestedFields(info)
        const columns = ['p.name', 'p.format', 'length(p.document) AS size']
        if (names.has('doc')) columns.push('p.document')
        if (names.has('response') || names.has('response_json')) columns.push('p.response_json')
        const part = { table: DOCUMENTS, columns: columns.join(', '), values: names.size }
        return partsOf(row, reading, info, part)
      },
    },
    snapshots: {
      type: new GraphQLList(types.snapshot),
      resolve(row, _, reading, info) {
        const names = requestedFields(info)
        const long = ['old_props', 'new_props'].filter((name) => names.has(name))
        const columns = ['entity_id', 'action', ...long].map((name) => `p.${name}`).join(', ')
        return partsOf(row, reading, info, { table: SNAPSHOTS, columns, values: names.size })
      },
    },
  }
}

/** Returns the related cases of all entities, each once. */
function relatedCases(documents: readonly StoredRow[]): readonly JsonObject[] {
  const cases = documents
    .flatMap((row) => listIn(answerIn(row) ?? {}, 'entities'))
    .flatMap((entity) => listIn(entity, 'related_cases'))
  return [...new Map(cases.map((one) => [one.id, one])).values()]
}

function fieldsOf(log: GraphQLObjectType<TransactionRow, Reading>) {
  const args = {
    ...Object.fromEntries(
      ['id', 'quick_search', 'committed_by'].map((name) => [name, { type: GraphQLID }]),
    ),
    ...Object.fromEntries(
      ['is_dry_run', 'closed', 'committable'].map((name) => [name, { type: GraphQLBoolean }]),
    ),
    ...Object.fromEntries(
      ['project_id', 'entities', 'related_cases'].map((name) => [name, { type: TEXTS }]),
    ),
    ...Object.fromEntries(
      ['state', 'project', 'program', 'type', 'order_by_asc', 'order_by_desc'].map((name) => [
        name,
        { type: GraphQLString },
      ]),
    ),
    last: { type: GraphQLInt },
    offset: { type: GraphQLInt },
  }
  const listArgs = { ...args, first: { type: GraphQLInt, defaultValue: 10 } }
  const countArgs = { ...args, first: { type: GraphQLInt } }
  const list = { type: new GraphQLList(log), args: listArgs }
  const total = { type: GraphQLInt, args: countArgs }
  return {
    roots: {
      transaction_log: {
        ...list,
        resolve: (_: unknown, given: Arguments, reading: Reading, info: GraphQLResolveInfo) =>
          listTransactions(reading, given, info),
      },
      _transaction_log_count: {
        ...total,
        resolve: (_: unknown, given: Arguments, reading: Reading) =>
          countTransactions(reading, given),
      },
    },
    /** Fields of entities that return transactions. */
    ofNodes: {
      _transaction_logs: {
        ...list,
        resolve: (row: NodeRow, given: Arguments, reading: Reading, info: GraphQLResolveInfo) =>
          transactionsOf(row, reading, given, info),
      },
      _transaction_logs_count: {
        ...total,
        resolve: (row: NodeRow, given: Arguments, reading: Reading, info: GraphQLResolveInfo) =>
          transactionCountOf(row, reading, given, info),
      },
    },
  }
}
