import { text, url } from '@prelude/platform'

export const notifierSettings = {
  mailUrl: { env: 'MAIL_URL', means: 'mail server, smtp(s)://…', parse: url },
  mailFrom: { env: 'MAIL_FROM', means: 'sender of mails', parse: text },
  brandName: { env: 'BRAND_NAME', means: 'name of the product', parse: text },
  publicUrl: { env: 'PUBLIC_URL', means: 'address people use', parse: url },
  supportEmail: { env: 'SUPPORT_EMAIL', means: 'address that people can write to', parse: text },
  operatorEmail: { env: 'OPERATOR_EMAIL', means: 'where requests are announced', parse: text },
}
