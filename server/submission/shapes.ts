import { z } from '@hono/zod-openapi'
import { commonsFailures } from '../commons/errors.ts'

// Schemas of submission for the API document (submission.md 3, 9 to 11). They validate nothing: the engine
// does.

const count = z.int().nonnegative()

const issue = z
  .object({
    keys: z.array(z.string()),
    message: z.string(),
    type: z.string(),
    line: z.int().optional().describe('Of a table, from 1.'),
    column: z.int().optional().describe('Of a table, from 1.'),
    id: z.string().optional(),
    dependents: z.array(z.object({ id: z.string(), type: z.string() })).optional(),
  })
  .openapi('SubmissionProblem')

const entityResult = z
  .object({
    action: z.enum(['create', 'update', 'version', 'delete', 'redact', 'submit']).nullable(),
    errors: z.array(issue),
    id: z.string().nullable(),
    related_cases: z.array(z.object({ id: z.string(), submitter_id: z.string().nullable() })),
    type: z.string().nullable(),
    unique_keys: z.array(z.record(z.string(), z.string())),
    valid: z.boolean(),
    warnings: z.array(issue),
  })
  .openapi('SubmissionEntityResult')

const accepted = z
  .object({ code: z.literal(200), message: z.string(), transaction_id: z.int() })
  .openapi('SubmissionAccepted')

const transaction = {
  code: z.int(),
  entities: z.array(entityResult),
  entity_error_count: count,
  error: z.string().optional().describe('Of a failure: the message.'),
  message: z.string(),
  success: z.boolean(),
  transaction_id: z.int(),
  transactional_error_count: count,
  transactional_errors: z.array(z.object({ message: z.string(), type: z.string().optional() })),
}

const upload = z
  .object({
    cases_related_to_created_entities_count: count,
    cases_related_to_updated_entities_count: count,
    created_entity_count: count,
    updated_entity_count: count,
    ...transaction,
  })
  .openapi('SubmissionTransaction')

const deletion = z
  .object({
    deleted_entity_count: count,
    dependent_ids: z.string().describe('Ids with commas between them.'),
    ...transaction,
  })
  .openapi('SubmissionDeletion')

const action = z
  .object({ submitted_entity_count: count.optional(), ...transaction })
  .openapi('SubmissionProjectTransaction')

const json = (schema: z.ZodType) => ({ 'application/json': schema })

const REFUSED = {
  403: { description: 'The token is not good, or its user may not do this.' },
  404: { description: 'There is no such program or project.' },
}

const ended = (description: string, shape: z.ZodType) => ({
  200: {
    description: `${description}, or \`async\` was requested.`,
    content: json(shape.or(accepted)),
  },
  400: {
    description: 'Nothing was changed: the errors of all entities, or why the body cannot be read.',
    content: json(shape.or(commonsFailures.schema)),
  },
  ...REFUSED,
})

export const uploadResponses = {
  ...ended('The result, also of a dry run', upload),
  201: { description: 'Taken, by POST.', content: json(upload) },
  413: { description: 'The body is too large.' },
}
export const commitResponses = ended('Done', z.union([upload, deletion, action]))
export const deletionResponses = ended('The result, also of a dry run', deletion)
export const actionResponses = ended('The result, also of a dry run', action)
export const closeResponses = {
  200: { description: 'Closed', content: json(accepted) },
  400: { description: 'The transaction is already closed or committed, or is not a dry run.' },
  ...REFUSED,
}

export const linkResponses = {
  200: { description: 'The paths', content: json(z.object({ links: z.array(z.string()) })) },
  ...REFUSED,
}
export const programResponses = {
  200: {
    description: 'Registered',
    content: json(z.object({ id: z.string(), name: z.string(), message: z.string() })),
  },
  400: { description: 'The body is not valid.' },
  413: { description: 'The body is larger than 64 KiB.' },
  403: REFUSED[403],
}
export const projectResponses = {
  200: { description: 'Registered', content: json(upload) },
  400: { description: 'The body is not valid.' },
  413: { description: 'The body is larger than 64 KiB.' },
  ...REFUSED,
}
export const removalResponses = {
  204: { description: 'Removed' },
  400: { description: 'It still contains something.' },
  ...REFUSED,
}

export const entitiesResponses = {
  200: {
    description: 'The entities, in the order of the ids',
    content: json(
      z.object({
        entities: z.array(
          z.object({
            program: z.string(),
            project: z.string(),
            properties: z.record(z.string(), z.unknown()),
          }),
        ),
      }),
    ),
  },
  403: REFUSED[403],
  404: { description: 'There is no such project, or it has not all of them.' },
}

const entity = z.looseObject({ type: z.string(), submitter_id: z.string().optional() })
const table = z.string().describe('A header line, and a line for each entity.')

/** Content types of uploads. Anything not labelled as a table counts as JSON. */
export const entitiesContent = {
  'application/json': z.union([entity, z.array(entity)]),
  'text/tab-separated-values': table,
  'text/tsv': table,
  'text/csv': table,
}
