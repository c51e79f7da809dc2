-- The tables of a CommonGround v1r4 deployment that callers, executors and tool services use, with the columns that they use; but for that of
-- the cards, which upstream's own package makes (commonground_cards.py).
create schema resource;
create schema state;

create table public.projects (
    project_id text primary key,
    title text not null default '',
    status text not null default 'active',
    owner_id text not null default ''
);

create table resource.project_agents (
    project_id text not null,
    agent_id text not null,
    profile_box_id uuid not null,
    worker_target text not null,
    tags jsonb not null default '[]',
    display_name text,
    owner_agent_id text,
    status text not null default 'active',
    metadata jsonb not null default '{}',
    primary key (project_id, agent_id)
);

create table resource.tools (
    project_id text not null,
    tool_name text not null,
    description text,
    parameters jsonb not null default '{}',
    target_subject text,
    after_execution text,
    options jsonb not null default '{}',
    primary key (project_id, tool_name)
);

create table state.agent_state_head (
    project_id text not null,
    agent_id text not null,
    status text default 'idle',
    active_agent_turn_id text,
    active_channel_id text,
    turn_epoch bigint default 0,
    active_recursion_depth integer default 0,
    output_box_id uuid,
    updated_at timestamptz default now(),
    primary key (project_id, agent_id)
);

create table state.agent_inbox (
    inbox_id text primary key,
    project_id text not null,
    agent_id text not null,
    channel_id text not null default 'public',
    message_type text not null,
    enqueue_mode text,
    correlation_id text,
    agent_turn_id text,
    turn_epoch bigint not null default 0,
    context_headers jsonb not null default '{}',
    payload jsonb not null default '{}',
    status text not null default 'pending',
    retry_count integer not null default 0,
    next_retry_at timestamptz not null default now(),
    last_error text,
    defer_reason text,
    processed_at timestamptz,
    archived_at timestamptz,
    created_at timestamptz default now()
);
create unique index one_message_of_a_type on state.agent_inbox (project_id, message_type, md5(correlation_id));

create table state.execution_edges (
    edge_id text primary key,
    project_id text not null,
    channel_id text,
    primitive text not null,
    edge_phase text not null,
    source_agent_id text,
    source_agent_turn_id text,
    source_step_id text,
    target_agent_id text,
    target_agent_turn_id text,
    correlation_id text,
    enqueue_mode text,
    recursion_depth integer not null check (recursion_depth >= 0),
    trace_id text,
    parent_step_id text,
    metadata jsonb not null default '{}',
    created_at timestamptz default now()
);
create unique index one_edge_of_a_phase on state.execution_edges (project_id, md5(correlation_id), primitive, edge_phase);
