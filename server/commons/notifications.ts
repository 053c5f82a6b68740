import { z } from '@hono/zod-openapi'
import {
  COMPONENTS,
  LEVELS,
  type Notification,
  type NotificationStore,
} from '../../engine/shared/index.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { json } from '../http/reply.ts'

export interface NotificationEngine {
  readonly notifications: Pick<NotificationStore, 'active'>
}

const notification = z
  .object({
    id: z.int(),
    level: z.enum(LEVELS),
    components: z.array(z.enum(COMPONENTS)),
    message: z.string(),
    dismissible: z.boolean(),
    start_date: z.string(),
    end_date: z.string().nullable(),
  })
  .openapi('Notification')

const responses = {
  200: {
    description: 'The notifications of today',
    content: { 'application/json': z.object({ data: z.array(notification) }) },
  },
}

/** Endpoints for notices to the users of the service (data-commons-service.md 2.5, data-commons.md 4.2). */
export function notificationEndpoints({ notifications }: NotificationEngine): readonly Endpoint[] {
  return Object.freeze([
    defineEndpoint({
      methods: ['GET'],
      path: '/notifications',
      summary: 'Notifications to show now',
      tags: ['system'],
      responses,
      handle: async () => json(200, { data: (await notifications.active()).map(shown) }),
    }),
    defineEndpoint({
      methods: ['GET'],
      path: '/login-notifications',
      summary: 'Notifications to show at login: those with the component LOGIN',
      tags: ['system'],
      responses,
      async handle() {
        const active = await notifications.active()
        const wanted = active.filter(({ components }) => components.includes('LOGIN'))
        return json(200, { data: wanted.map(shown) })
      },
    }),
  ])
}

function shown({ startDate, endDate, ...rest }: Notification) {
  return { ...rest, start_date: startDate, end_date: endDate }
}
