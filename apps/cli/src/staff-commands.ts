import { staffRoles } from '@clarion/protocol';
import type { StaffRole } from '@clarion/protocol';
import { Option } from 'commander';
import type { Command } from 'commander';
import { consumerOf, forConsumer } from '@clarion/core/consumer/operator';
import { dashboardUrl } from '@clarion/core/context';
import { createStaff } from '@clarion/core/staff/create-staff';
import { ticketLink } from '@clarion/core/staff/tickets';
import type { Add } from './options.ts';

interface CreateOptions {
  consumer: string;
  email: string;
  name: string;
  role: StaffRole;
  passwordStdin?: boolean;
}

/** People who sign in to the dashboard; owners add the others there. */
export function addStaffCommands(program: Command, add: Add, readStdin: () => Promise<string>): void {
  const staff = program.command('staff').description('Dashboard users.');
  add<CreateOptions>(
    staff,
    'create',
    'create a user and print the link for choosing a password, once',
    [
      new Option('--consumer <slug>', "the account's slug").makeOptionMandatory(),
      new Option('--email <address>', 'email address for signing in').makeOptionMandatory(),
      new Option('--name <name>', 'display name').makeOptionMandatory(),
      new Option('--role <role>', 'role').choices(staffRoles).default('OWNER'),
      new Option('--password-stdin', 'read the password from standard input instead'),
    ],
    async (ctx, { consumer, email, name, role, passwordStdin }) => {
      const password = passwordStdin ? (await readStdin()).replace(/\r?\n$/, '') : null;
      const own = forConsumer(ctx, await consumerOf(ctx, consumer));
      const { user, invitation } = await createStaff(own, { email, name, role, password });
      return {
        id: user.id,
        email: user.email,
        name: user.name,
        role: user.role,
        ...(invitation !== null && {
          invitation: ticketLink(dashboardUrl(ctx.settings), 'INVITATION', invitation),
        }),
      };
    },
  );
}
