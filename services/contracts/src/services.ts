/** Every service of the product: also the name of its database schema, of its role and of its topic. */
export const SERVICE_NAMES = ['gateway', 'songs', 'credits', 'payments', 'storage', 'notifier'] as const
export type ServiceName = (typeof SERVICE_NAMES)[number]
